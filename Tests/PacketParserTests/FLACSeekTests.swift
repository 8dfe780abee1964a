// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import TestKit
import Testing

/// Seeks in FLAC: their byte offsets, and the packets found there.
@Suite struct FLACSeekTests {
  /// Parses from a target on, and returns the number and bytes of the first packet.
  static func first(
    _ bytes: [UInt8], _ target: AudioFileStreamSeekTarget, _ stream: inout AudioFileStream
  ) throws -> (index: Int64?, bytes: [UInt8]?, frame: Int64?) {
    var recorder = Recorder()
    let start = Int(try stream.dataOffset + target.byteOffset)
    try stream.parse(bytes.span.extracting(min(start, bytes.count)...), listener: &recorder)
    try stream.finish(listener: &recorder)
    return (recorder.packetIndices.first, recorder.packetBytes.first, recorder.firstFrames.first)
  }

  @Test("Every packet that was seen is found again", arguments: [false, true])
  func seen(_ isVariable: Bool) throws {
    let sizes = (0..<200).map { isVariable ? 20 + $0 % 7 * 10 : 30 }
    let flac = SyntheticFLAC(blockSizes: sizes, isVariable: isVariable)
    let bytes = flac.bytes
    let frames = flac.frames
    var stream = AudioFileStream()
    _ = parse(bytes, with: &stream)
    for packet in [199, 0, 1, 57, 100, 198] {
      let target = try stream.seek(toPacket: Int64(packet))
      #expect(!target.isEstimated)
      let found = try Self.first(bytes, target, &stream)
      #expect(found.index == Int64(packet))
      #expect(found.bytes == frames[packet])
      #expect(found.frame == Int64(sizes[..<packet].reduce(0, +)))
    }
  }

  @Test("Behind a splice, a seek back to the start numbers packets as before")
  func splice() throws {
    let flac = SyntheticFLAC(blockSizes: Array(repeating: 30, count: 12))
    var frames = flac.frames
    // The first frame is damaged, and another is missing without foreign bytes, as in spliced streams.
    frames[0][20] ^= 0xFF
    frames.remove(at: 6)
    let bytes = flac.metadata + frames.flatMap { $0 }
    var stream = AudioFileStream()
    let (recorder, _) = parse(bytes, with: &stream)
    #expect(recorder.packetIndices.first == 0)
    let target = try stream.seek(toPacket: 0)
    #expect(!target.isEstimated)
    let found = try Self.first(bytes, target, &stream)
    #expect(found.index == 0)
    #expect(found.bytes == recorder.packetBytes[0])
  }

  @Test("The seek table leads to packets that were not seen")
  func seekTable() throws {
    let workshop = Workshop()
    try workshop.run(
      FLACOracleTests.Recipe(encoder: "flac -s -f -S 0.5s -b 1024 in.wav -o out.flac").command)
    let bytes = try workshop.read("out.flac")
    let all = parse(bytes).recorder.packetBytes
    for packet in [0, 1, 21, 22, 23, 45, all.count - 1] {
      var stream = AudioFileStream()
      var recorder = Recorder()
      try stream.parse(bytes.span.extracting(first: 9000), listener: &recorder)
      let target = try stream.seek(toPacket: Int64(packet))
      #expect(!target.isEstimated)
      let found = try Self.first(bytes, target, &stream)
      #expect(found.index == Int64(packet))
      #expect(found.bytes == all[packet])
    }
  }

  @Test("An estimate is within its bound, and the packet found there has its true number")
  func estimated() throws {
    let workshop = Workshop()
    try workshop.run(
      FLACOracleTests.Recipe(encoder: "flac -s -f --no-seektable -b 512 in.wav -o out.flac").command
    )
    let bytes = try workshop.read("out.flac")
    let all = parse(bytes).recorder.packetBytes
    for packet in [75, 90, 100, all.count - 1] {
      var stream = AudioFileStream()
      stream.tell(totalByteCount: Int64(bytes.count))
      var recorder = Recorder()
      try stream.parse(bytes.span.extracting(first: 9000), listener: &recorder)
      let target = try stream.seek(toPacket: Int64(packet))
      #expect(target.isEstimated)
      let found = try Self.first(bytes, target, &stream)
      guard let index = found.index else { continue }
      #expect(found.bytes == all[Int(index)])
      #expect(found.frame == index * 512)
      #expect(abs(index - Int64(packet)) <= (target.errorBoundInPackets ?? 0) + 1)
    }
  }

  @Test("Packet 0 is found again behind garbage, and a packet found by estimate does not mislead")
  func garbageInFront() throws {
    var first = SyntheticFLAC(blockSizes: [Int](repeating: 30, count: 100), totalFrames: 0)
    first.firstNumber = 40
    let noise = garbage(50)
    let frames = first.frames
    // The frames' numbers restart: only the packets seen from the start on are certain.
    let bytes = first.metadata + noise + frames.joined() + frames.joined()
    var stream = AudioFileStream()
    let all = parse(bytes, with: &stream).recorder
    #expect(all.packetIndices == Array(0..<200))
    for packet in [0, 150, 0, 99, 199] {
      let target = try stream.seek(toPacket: Int64(packet))
      #expect(!target.isEstimated)
      let found = try Self.first(bytes, target, &stream)
      #expect(found.index == Int64(packet))
      #expect(found.bytes == all.packetBytes[packet])
    }
    var early = AudioFileStream()
    var recorder = Recorder()
    try early.parse(bytes.span.extracting(first: 2000), listener: &recorder)
    let seen = Int64(recorder.packetCount)
    let guess = try early.seek(toPacket: 180)
    #expect(guess.isEstimated)
    _ = try Self.first(bytes, guess, &early)
    for packet in [0, seen / 2, seen - 1] {
      let target = try early.seek(toPacket: packet)
      #expect(!target.isEstimated)
      #expect(try Self.first(bytes, target, &early).bytes == all.packetBytes[Int(packet)])
    }
  }

  @Test("After a discontinuity, packets have their true numbers")
  func discontinuity() throws {
    let flac = SyntheticFLAC(blockSizes: [Int](repeating: 40, count: 50))
    let bytes = flac.bytes
    var stream = AudioFileStream()
    var recorder = Recorder()
    try stream.parse(bytes.span.extracting(first: 600), listener: &recorder)
    var later = Recorder()
    try stream.parse(bytes.span.extracting(2000...), discontinuity: true, listener: &later)
    try stream.finish(listener: &later)
    let index = try #require(later.packetIndices.first)
    #expect(later.packetBytes.first == flac.frames[Int(index)])
    #expect(later.packetIndices == Array(index..<50))
    #expect(later.skips == [])
  }
}
