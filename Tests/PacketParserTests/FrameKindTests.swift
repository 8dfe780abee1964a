// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import TestKit
import Testing

/// MPEG audio and ADTS have no container, so files of both kinds can be concatenated.
@Suite("Streams whose frames change their kind")
struct FrameKindTests {
  struct Parts: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var parts: [[UInt8]]
    var packetCounts: [Int]

    var bytes: [UInt8] { Array(parts.joined()) }
  }

  static let mpeg = SyntheticFrame.stream(6)
  static let adts = SyntheticADTS.stream(5)

  static let streams = [
    Parts(testDescription: "ADTS behind MPEG audio", parts: [mpeg, adts], packetCounts: [6, 5]),
    Parts(testDescription: "MPEG audio behind ADTS", parts: [adts, mpeg], packetCounts: [5, 6]),
    Parts(
      testDescription: "each twice", parts: [mpeg, adts, mpeg, adts], packetCounts: [6, 5, 6, 5]),
    Parts(
      testDescription: "tags between",
      parts: [
        SyntheticTag.id3v2(20) + adts + SyntheticTag.id3v1,
        SyntheticTag.id3v2(30) + mpeg + SyntheticTag.id3v1,
        SyntheticTag.id3v2(9) + adts + SyntheticTag.id3v1,
      ], packetCounts: [5, 6, 5]),
  ]

  @Test("All frames are packets in their own format, with continuous numbers", arguments: streams)
  func packets(_ stream: Parts) throws {
    let (recorder, error) = parse(stream.bytes)
    #expect(error == nil && recorder.failures == [] && recorder.gaps == [])
    let sum = stream.packetCounts.reduce(0, +)
    try #require(recorder.packetNumbers == Array(0..<Int64(sum)))
    var first = 0
    for (part, count) in zip(stream.parts, stream.packetCounts) {
      let formats = Set(recorder.packetFormats[first..<first + count].map(\.formatID))
      let isADTS = part.count < Self.mpeg.count
      #expect(formats == [isADTS ? .mpeg4AAC : .mpegLayer3])
      first += count
    }
    #expect(recorder.properties.filter { $0 == "redy" }.count == 1)
    #expect(recorder.properties.filter { $0 == "dfmt" }.count == stream.parts.count)
  }

  @Test("Slicing of the input does not change the result", arguments: streams)
  func slicing(_ stream: Parts) {
    let whole = outcome(stream.bytes, .whole)
    for size in [1, 3, 61, 418, 1000] {
      #expect(outcome(stream.bytes, .pieces(size)) == whole, "\(size)")
    }
    for seed in 0..<20 as Range<UInt64> {
      #expect(outcome(stream.bytes, .random(seed: seed)) == whole, "\(seed)")
    }
  }

  @Test("The cookie belongs to the current frames")
  func cookies() throws {
    var stream = AudioFileStream()
    _ = parse(Self.mpeg + Self.adts, with: &stream)
    #expect(try stream.magicCookieData == [0x12, 0x10])
    stream = AudioFileStream()
    _ = parse(Self.adts + Self.mpeg, with: &stream)
    #expect(throws: AudioFileStreamError.self) { try stream.magicCookieData }
  }

  @Test("A seek back finds the first packets, and parsing continues to the end", arguments: streams)
  func seeks(_ parts: Parts) throws {
    var stream = AudioFileStream()
    let packets = parse(parts.bytes, with: &stream).recorder.packetBytes
    for packet in 0..<3 as Range<Int64> {
      let target = try stream.seek(toPacket: packet)
      #expect(!target.isEstimated)
      let (recorder, error) = rest(of: parts.bytes, &stream)
      #expect(error == nil && recorder.gaps == [])
      #expect(recorder.packetBytes == Array(packets[Int(packet)...]))
      #expect(recorder.packetNumbers == Array(packet..<Int64(packets.count)))
    }
  }

  @Test("A seek while the first frame of the other kind is incomplete finds its target")
  func earlySeek() throws {
    for (first, second) in [(Self.mpeg, Self.adts), (Self.adts, Self.mpeg)] {
      let bytes = first + second
      for end in first.count..<bytes.count {
        var stream = AudioFileStream()
        var recorder = Recorder()
        try stream.parse(bytes.span.extracting(0..<end), listener: &recorder)
        _ = try stream.seek(toPacket: 1)
        let (again, error) = rest(of: bytes, &stream)
        #expect(error == nil)
        #expect(again.packetNumbers == Array(1..<11), "\(end)")
      }
    }
  }

  @Test("A loss between them is reported with its byte offset")
  func losses() {
    for (first, second) in [(Self.mpeg, Self.adts), (Self.adts, Self.mpeg)] {
      let gaps = parse(first + garbage(900) + second).recorder.gaps
      #expect(gaps.map(\.cause) == [.damage])
      #expect(gaps.map(\.byteOffset) == [Int64(first.count)])
    }
  }

  /// Parses from a seek's byte offset to the end.
  private func rest(
    of bytes: [UInt8], _ stream: inout AudioFileStream
  ) -> (recorder: Recorder, error: AudioFileStreamError?) {
    parse(Array(bytes[Int(stream.nextByteOffset)...]), with: &stream)
  }
}
