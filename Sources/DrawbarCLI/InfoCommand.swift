// SPDX-License-Identifier: MIT

import ArgumentParser
import AudioModel
import Drawbar
import Glibc
import PlayerEngine

/// `drawbar info`: what a file or stream is, as far as its beginning tells.
struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Tell what a file or stream is.",
    discussion: """
      Reads as much as it takes to know the format: for most files a few kilobytes.

      With --json one object is written to standard output, also when there is an error: `error` is \
      then its text, the exit code is 1, and what could not be learned is null.
      """)

  @Flag(help: "One JSON object on standard output.")
  var json = false

  @Argument(help: "A path, an http or https URL, or - for standard input.")
  var location: String

  func run() throws {
    do throws(PlayerError) {
      let reader = try TrackReader(opening: location)
      let information = try reader.readInformation()
      let sheet = InfoSheet(location: location, information: information, error: nil)
      print(json ? sheet.json : sheet.text)
    } catch {
      if json {
        let sheet = InfoSheet(location: location, information: nil, error: "\(error)")
        print(sheet.json)
      } else {
        Failure.report(error)
      }
      throw ExitCode(1)
    }
  }
}

/// The facts of one track, laid out for people and for programs.
struct InfoSheet {
  let location: String
  let information: TrackInformation?
  let error: String?

  /// Stable: the names and their order do not change between releases; new ones may be added.
  var json: String {
    let format = information?.dataFormat
    let table = information?.packetTable
    let members: [(String, JSONValue)] = [
      ("file", .string(information?.location ?? location)),
      ("format", .optional(information.map { "\($0.fileFormat)" })),
      ("dataFormat", .optional(format.map { "\($0.formatID)" })),
      ("sampleRate", .optional(format?.sampleRate)),
      ("channels", .optional(format.map { Int64($0.channelsPerFrame) })),
      ("bitsPerChannel", .optional(format.flatMap { bits($0) })),
      ("framesPerPacket", .optional(format.map { Int64($0.framesPerPacket) })),
      ("dataOffset", .optional(information?.dataOffset)),
      ("audioDataByteCount", .optional(information?.audioDataByteCount)),
      ("packetCount", .optional(information?.packetCount)),
      ("bitRate", .optional(information?.bitRate.map(Int64.init))),
      ("durationSeconds", .optional(information?.durationNanoseconds.map { Double($0) / 1e9 })),
      ("durationSource", .optional(information?.durationEvidence.map(name))),
      ("primingFrames", .optional(table.map { Int64($0.primingFrames) })),
      ("remainderFrames", .optional(table.map { Int64($0.remainderFrames) })),
      ("error", .optional(error)),
    ]
    return JSONValue.object(members).text()
  }

  var text: String {
    guard let information else { return "" }
    let format = information.dataFormat
    var rows: [(String, String)] = [
      ("File", information.location),
      ("Container", "\(containerName(information.fileFormat)) ('\(information.fileFormat)')"),
      ("Encoding", encoding(format)),
      ("Rate", "\(Int(format.sampleRate.rounded())) Hz"),
      ("Channels", channels(Int(format.channelsPerFrame))),
    ]
    if let duration = information.durationNanoseconds {
      var text = TimeText.clock(nanoseconds: duration)
      text += " (\(TimeText.seconds(nanoseconds: duration, decimals: 3)) s"
      if let evidence = information.durationEvidence { text += ", by \(words(evidence))" }
      rows.append(("Duration", text + ")"))
    } else {
      rows.append(("Duration", "unknown"))
    }
    if let bitRate = information.bitRate {
      rows.append(("Bit rate", "\((bitRate + 500) / 1000) kbit/s"))
    }
    if let count = information.packetCount { rows.append(("Packets", "\(count)")) }
    if let table = information.packetTable {
      rows.append(
        (
          "Edges",
          "\(table.primingFrames) priming, \(table.remainderFrames) remainder frames, trimmed"
        ))
    }
    rows.append(("Audio at", "byte \(information.dataOffset)"))
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { label, value in
      label + String(repeating: " ", count: width - label.count + 2) + value
    }.joined(separator: "\n")
  }

  private func bits(_ format: AudioStreamBasicDescription) -> Int64? {
    format.bitsPerChannel > 0 ? Int64(format.bitsPerChannel) : nil
  }

  private func containerName(_ type: AudioFileTypeID) -> String {
    switch type {
    case .mpegLayer1, .mpegLayer2, .mpegLayer3: "MPEG audio stream"
    case .wave: "WAVE"
    default: "file"
    }
  }

  private func encoding(_ format: AudioStreamBasicDescription) -> String {
    switch format.formatID {
    case .mpegLayer1: return "MPEG audio layer I ('\(format.formatID)')"
    case .mpegLayer2: return "MPEG audio layer II ('\(format.formatID)')"
    case .mpegLayer3: return "MPEG audio layer III ('\(format.formatID)')"
    case .linearPCM:
      let isFloat = format.formatFlags.contains(.float)
      let isSigned = format.formatFlags.contains(.signedInteger)
      let kind = isFloat ? "float" : isSigned ? "signed integer" : "unsigned integer"
      return "linear PCM, \(format.bitsPerChannel)-bit \(kind) ('\(format.formatID)')"
    default: return "'\(format.formatID)'"
    }
  }

  private func channels(_ count: Int) -> String {
    switch count {
    case 1: "1 (mono)"
    case 2: "2 (stereo)"
    default: "\(count)"
    }
  }

  private func name(_ evidence: AudioFileStreamDuration.Evidence) -> String {
    switch evidence {
    case .packetTable: "packetTable"
    case .frameCount: "frameCount"
    case .packetCount: "packetCount"
    case .byteCount: "byteCount"
    case .constantBitRate: "constantBitRate"
    case .averageOfPackets: "averageOfPackets"
    }
  }

  private func words(_ evidence: AudioFileStreamDuration.Evidence) -> String {
    switch evidence {
    case .packetTable: "packet table"
    case .frameCount: "frame count"
    case .packetCount: "packet count"
    case .byteCount: "byte count"
    case .constantBitRate: "constant bit rate"
    case .averageOfPackets: "average of packets, an estimate"
    }
  }
}
