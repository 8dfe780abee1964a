// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import TestKit
import Testing

/// Where packets in Ogg are sought, and what is found there.
@Suite struct OggSeekTests {
  static let encoders = [
    "opusenc --quiet --max-delay 200 in.wav out.ogg", "oggenc -Q -o out.ogg in.wav",
    "flac -s -f --ogg in.wav -o out.ogg",
    "ffmpeg -v error -y -i in.wav -c:a libvorbis -page_duration 100000 out.ogg",
  ]

  @Test("Every packet that was seen is found again", arguments: encoders)
  func seen(_ encoder: String) throws {
    let workshop = Workshop()
    try workshop.run(OggOracleTests.Recipe(encoder: encoder).command)
    let bytes = try workshop.read("out.ogg")
    var stream = AudioFileStream()
    let all = parse(bytes, with: &stream).recorder
    let count = all.packetCount
    for packet in [count - 1, 0, 1, count / 3, count / 2, count - 2] {
      let target = try stream.seek(toPacket: Int64(packet))
      #expect(!target.isEstimated)
      let found = try FLACSeekTests.first(bytes, target, &stream)
      #expect(found.index == Int64(packet))
      #expect(found.bytes == all.packetBytes[packet])
      // The first Vorbis packet behind a jump only starts the overlap: it gives no frames, and ends
      // where it would have.
      let isVorbis = try stream.dataFormat.formatID == .vorbis
      if !isVorbis { #expect(found.frame == all.firstFrames[packet]) }
      if packet > 0, isVorbis, packet + 1 < count, target.leadingPacketCount == 0 {
        #expect(found.frame == all.firstFrames[packet + 1])
      }
    }
  }

  @Test("Behind a guessed place the packets' frames are right", arguments: encoders)
  func estimated(_ encoder: String) throws {
    let workshop = Workshop()
    try workshop.run(OggOracleTests.Recipe(encoder: encoder).command)
    let bytes = try workshop.read("out.ogg")
    let all = parse(bytes).recorder
    let count = all.packetCount
    for packet in [count / 2, count * 3 / 4] {
      var stream = AudioFileStream()
      stream.tell(totalByteCount: Int64(bytes.count), tail: bytes.span)
      var recorder = Recorder()
      var place = 0
      while recorder.packetCount < 5 {
        try stream.parse(bytes.span.extracting(place..<place + 500), listener: &recorder)
        place += 500
      }
      let target = try stream.seek(toPacket: Int64(packet))
      if !target.isEstimated { continue }
      let found = try FLACSeekTests.first(bytes, target, &stream)
      guard let packetBytes = found.bytes else { continue }
      let real = try #require(all.packetBytes.firstIndex(of: packetBytes))
      let isVorbis = try stream.dataFormat.formatID == .vorbis
      let frames = all.firstFrames
      #expect(found.frame == frames[isVorbis ? min(real + 1, count - 1) : real])
      if !isVorbis { #expect(found.index == Int64(real)) }
      #expect(abs(Int64(real) - Int64(packet)) <= (target.errorBoundInPackets ?? .max))
    }
  }

  /// Links of Opus, each with nine pages of four packets of 20 ms and 100 bytes.
  static func chain(_ linkCount: Int) -> [UInt8] {
    (1...linkCount).flatMap { serial in
      var ogg = SyntheticOgg(serial: serial)
      ogg.beginOpus()
      for page in 0..<9 {
        let packets = (0..<4).map { SyntheticOgg.opusPacket(100, seed: serial * 36 + page * 4 + $0) }
        ogg.page(packets, granule: (page + 1) * 3840, flags: page == 8 ? 4 : 0)
      }
      return ogg.bytes
    }
  }

  private static let chainPageBytes = 4 * 100 + 27 + 4

  @Test("A jump within a link that is not remembered goes on in it", arguments: [16, 17, 20])
  func jumpInLaterLink(_ linkCount: Int) throws {
    let bytes = Self.chain(linkCount)
    let all = parse(bytes).recorder
    var stream = AudioFileStream()
    stream.tell(totalByteCount: Int64(bytes.count))
    var recorder = Recorder()
    // Four pages of the last link are still to come.
    let end = bytes.count - 4 * Self.chainPageBytes
    try stream.parse(bytes.span.extracting(first: end), listener: &recorder)
    // By their mean they lie a little after the next one's beginning.
    _ = try stream.seek(toPacket: Int64(recorder.packetCount + 3))
    let place = Int(stream.nextByteOffset)
    #expect(place > end - 9 * Self.chainPageBytes)
    recorder = Recorder()
    try stream.parse(bytes.span.extracting(place..<bytes.count), listener: &recorder)
    #expect(recorder.packetCount >= 8)
    #expect(recorder.packetBytes == all.packetBytes.suffix(recorder.packetCount))
    #expect(recorder.firstFrames == all.firstFrames.suffix(recorder.packetCount))
  }

  @Test("Frames and packets are translated, seen or not where all packets have one duration")
  func translations() throws {
    let ogg = OggTests.opus
    var stream = AudioFileStream()
    _ = parse(ogg.bytes, with: &stream)
    #expect(try stream.firstFrame(ofPacket: 7) == 6720)
    #expect(try stream.packet(containingFrame: 6721).packet == 7)
    #expect(try stream.packet(containingFrame: 6721).frameOffsetInPacket == 1)
    var early = AudioFileStream()
    var recorder = Recorder()
    try early.parse(ogg.bytes.span.extracting(first: 1500), listener: &recorder)
    #expect(recorder.packetCount < 12)
    #expect(try early.packet(containingFrame: 14_400).packet == 15)
  }
}
