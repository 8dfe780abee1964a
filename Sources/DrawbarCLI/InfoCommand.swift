// SPDX-License-Identifier: MIT

import ArgumentParser
import ByteSources
import Glibc
import PlayerEngine

/// `drawbar info`: prints the properties of files and streams.
struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Tell what files and streams are.",
    usage: "drawbar info [<options>] <locations> ...",
    discussion: """
      Reads as much as it takes to know the format and the duration: of most files a few kilobytes. \
      With --json, --jsonl or --packets all of it is read, and what can be counted is counted; only of \
      a network stream of unknown length no more than the head is.

      Nothing is decoded: a packet that cannot be decoded is no error here. `drawbar render \
      -o /dev/null` decodes a file and reports such packets.

      With --json one object is written to standard output for each file, also when there is an \
      error: `error` is then its text, the exit code is 1, and what could not be learned is null.

      Of a playlist the entries are listed, and not opened.
      """)

  @Flag(help: "A JSON object on standard output for each file.")
  var json = false

  @Flag(help: "The same with each object on one line.")
  var jsonl = false

  @Flag(help: "List the packets: number, first frame, byte offset and size.")
  var packets = false

  @Option(help: "Write the cover, or else the first picture, into this file.")
  var picture: String?

  @Option(help: "Bytes that the parser gets at once; the output does not depend on it.")
  var slice: Int?

  @OptionGroup
  var source: SourceOptions

  @Argument(help: "Paths, http or https URLs, or - for standard input; playlists, too.")
  var locations: [String]

  func validate() throws {
    guard slice ?? 1 >= 1 else { throw ValidationError("--slice must be at least 1.") }
    guard picture == nil || locations.count == 1 else {
      throw ValidationError("--picture takes one file at a time.")
    }
    guard picture != "-" else { throw ValidationError("--picture needs the name of a file.") }
  }

  func run() throws {
    try Failure.reporting { try tellAll() }
  }

  /// - Returns: false if anything failed.
  private func tellAll() throws -> Bool {
    var output = StandardOutput()
    var hasFailed = false
    for (index, location) in locations.enumerated() {
      var source: (any ByteSource)?
      var list: PlaylistSheet?
      do throws(PlaylistFailure) {
        switch try PlaylistLoader(configuration: self.source.configuration).open(location) {
        case .other(let opened): source = opened
        case .playlist(let playlist): list = PlaylistSheet(location, playlist)
        }
      } catch {
        if case .source = error.reason {
          // A location that cannot be read may be of any kind: it is reported as a file.
        } else {
          list = PlaylistSheet(location, error: error)
        }
      }
      let isWell =
        if let list {
          try write(list, isFirst: index == 0, to: &output)
        } else if json || jsonl {
          writeObject(location, source, to: &output)
        } else {
          try writeText(location, source, isFirst: index == 0, to: &output)
        }
      if !isWell { hasFailed = true }
      try output.flush()
    }
    return !hasFailed
  }

  /// - Returns: false if anything failed.
  private func write(
    _ list: PlaylistSheet, isFirst: Bool, to output: inout StandardOutput
  ) throws -> Bool {
    if jsonl {
      JSONValue.object(list.members).write(to: &output)
      output.write("\n")
    } else if json {
      JSONValue.writeLines(list.members, to: &output)
    } else {
      if list.playlist != nil { output.write((isFirst ? "" : "\n") + list.text) }
      try output.flush()
      var failures = FailureRun()
      for error in list.errors { failures.add("\(error)") }
      failures.end()
    }
    return list.errors.isEmpty
  }

  private func inspection(
    _ location: String, _ opened: (any ByteSource)? = nil, pictureByteLimit: Int = 0
  ) -> StreamInspection {
    StreamInspection(
      location, opened: opened, source: source.configuration,
      depth: json || jsonl ? .whole : packets ? .toTheEnd : .head,
      listsPackets: packets, sliceBytes: slice ?? .max, pictureByteLimit: pictureByteLimit,
      pipePictureByteLimit: picture == nil ? 0 : PictureExport.largestFromPipe)
  }

  /// - Returns: false if anything failed.
  private func writeObject(
    _ location: String, _ source: (any ByteSource)?, to output: inout StandardOutput
  ) -> Bool {
    let inspection = inspection(location, source)
    inspection.run()
    var sheet = inspection.sheet
    if sheet.error == nil {
      sheet.error = exportPicture(sheet, location, isReadOnce: inspection.isReadOnce)
    }
    let members = sheet.members(listsPackets: packets)
    if jsonl {
      JSONValue.object(members).write(to: &output)
      output.write("\n")
    } else {
      JSONValue.writeLines(members, to: &output)
    }
    return sheet.error == nil
  }

  /// - Returns: false if anything failed.
  private func writeText(
    _ location: String, _ source: (any ByteSource)?, isFirst: Bool,
    to output: inout StandardOutput
  ) throws -> Bool {
    let inspection = inspection(location, source)
    var hasWritten = false
    inspection.run { inspection in
      guard packets, inspection.isReady else { return true }
      if !hasWritten {
        output.write((isFirst ? "" : "\n") + inspection.sheet.text + "\n" + PacketRow.header)
        hasWritten = true
      }
      for packet in inspection.takePackets() { output.write(PacketRow.text(packet)) }
      // The next flush reports an error again.
      return (try? output.flush()) != nil
    }
    let sheet = inspection.sheet
    if !hasWritten, inspection.isReady { output.write((isFirst ? "" : "\n") + sheet.text) }
    try output.flush()
    let error = sheet.error ?? exportPicture(sheet, location, isReadOnce: inspection.isReadOnce)
    if let error { Failure.report(error) }
    return error == nil
  }

  /// - Returns: the error message; nil if nothing failed.
  private func exportPicture(
    _ sheet: InfoSheet, _ location: String, isReadOnce: Bool
  ) -> String? {
    guard let picture else { return nil }
    do {
      try WrittenFile(path: picture).check(isNoneOf: [location])
      let readAgain = { (limit: Int) in
        let inspection = inspection(location, pictureByteLimit: limit)
        inspection.run()
        return inspection.sheet
      }
      try PictureExport.write(sheet, to: picture, again: isReadOnce ? nil : readAgain)
      return nil
    } catch {
      return "\(error)"
    }
  }
}

/// The lines of the packet list.
private enum PacketRow {
  static let header = line("Packet", "Frame", "Byte", "Size")

  static func text(_ packet: PacketList.Packet) -> String {
    line("\(packet.index)", "\(packet.frame)", "\(packet.byteOffset)", "\(packet.byteCount)")
  }

  private static func line(_ columns: String...) -> String {
    zip(columns, [8, 12, 12, 8]).map { text, width in
      String(repeating: " ", count: max(0, width - text.utf8.count)) + text
    }.joined(separator: " ") + "\n"
  }
}
