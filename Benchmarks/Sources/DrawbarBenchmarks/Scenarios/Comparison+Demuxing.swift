// SPDX-License-Identifier: MIT

internal import AudioModel
internal import BarePeers
internal import Glibc
internal import PacketParser

extension Comparison {
  /// The parser on a whole file, against libmpg123's scan of the same file. Both read it from the system's
  /// cache.
  static func scan(_ path: String) throws(BenchmarkFailure) -> Comparison {
    let parser = try FileParser(path)
    return Comparison(
      name: "parse-scan", input: parser.name, operations: parser.packetCount, operation: "packet",
      bytes: parser.byteCount, maximumRounds: 20,
      baseline: Scenario("mpg123_scan") {
        let time = Timing.of { parser.note(unsafe bare_scan(path) > 0 ? nil : "the scan failed") }
        return Timing(nanoseconds: time)
      },
      subject: Scenario("read and parse") { parser.run() }, objection: { parser.objection })
  }

  /// The parser on a whole file, against `ffmpeg -c copy -f null` on the same file, less the processor time of
  /// ffmpeg's start.
  ///
  /// - Parameter brief: a file of the same kind with hardly any content.
  static func demux(_ path: String, brief: String) throws(BenchmarkFailure) -> Comparison {
    let parser = try FileParser(path)
    // FLAC and Ogg have their own goals, because the parser checks their checksums over every byte.
    let kind = path.split(separator: ".").last.map(String.init) ?? ""
    return Comparison(
      name: ["flac", "ogg"].contains(kind) ? "parse-demux-\(kind)" : "parse-demux",
      input: parser.name, operations: parser.packetCount, operation: "packet",
      bytes: parser.byteCount, maximumRounds: 15,
      baseline: Scenario("ffmpeg -c copy") {
        let start = unsafe bare_demux_nanoseconds(brief)
        let whole = unsafe bare_demux_nanoseconds(path)
        parser.note(start > 0 && whole > start ? nil : "ffmpeg failed")
        return Timing(nanoseconds: whole > start ? whole - start : 1)
      },
      subject: Scenario("read and parse") { parser.run() }, objection: { parser.objection })
  }
}

/// Reads a file in slices and parses it.
@safe
private final class FileParser {
  private static let sliceBytes = 64 << 10

  let name: String
  let packetCount: Int
  let byteCount: Int
  private let path: String
  private let slice: UnsafeMutableBufferPointer<UInt8>
  private(set) var objection: String?

  init(_ path: String) throws(BenchmarkFailure) {
    self.path = path
    name = path.split(separator: "/").last.map(String.init) ?? path
    unsafe slice = .allocate(capacity: Self.sliceBytes)
    unsafe slice.initialize(repeating: 0)
    let counted = unsafe Self.parse(path, slice)
    guard let counted, counted.packets > 0 else {
      throw BenchmarkFailure("\(path): it cannot be read or parsed")
    }
    packetCount = counted.packets
    byteCount = counted.bytes
  }

  deinit {
    unsafe slice.deallocate()
  }

  func note(_ objection: String?) {
    if let objection { self.objection = objection }
  }

  func run() -> Timing {
    let start = bare_thread_nanoseconds()
    let counted = unsafe Self.parse(path, slice)
    let time = bare_thread_nanoseconds() - start
    if counted?.packets != packetCount { note("another number of packets came out") }
    return Timing(nanoseconds: time)
  }

  private static func parse(
    _ path: String, _ slice: UnsafeMutableBufferPointer<UInt8>
  ) -> (packets: Int, bytes: Int)? {
    let descriptor = unsafe open(path, O_RDONLY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var counter = PacketCounter()
    var stream = AudioFileStream()
    var bytes = 0
    do throws(AudioFileStreamError) {
      while true {
        let count = unsafe read(descriptor, slice.baseAddress, slice.count)
        if count < 0 { return nil }
        if count == 0 { break }
        bytes += count
        try parse(unsafe Span(_unsafeStart: slice.baseAddress!, count: count), &stream, &counter)
      }
      try stream.finish(listener: &counter)
    } catch {
      return nil
    }
    return (counter.packets, bytes)
  }

  private static func parse(
    _ bytes: Span<UInt8>, _ stream: inout AudioFileStream, _ counter: inout PacketCounter
  ) throws(AudioFileStreamError) {
    try stream.parse(bytes, listener: &counter)
  }
}

private struct PacketCounter: AudioFileStreamListener {
  var packets = 0

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, found property: AudioFileStreamPropertyID
  ) {}

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, produced packets: AudioFileStreamPackets,
    bytes: Span<UInt8>, descriptions: Span<AudioStreamPacketDescription>
  ) {
    self.packets += packets.packetCount
  }
}
