// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import TestKit
import Testing

/// Seeks in Ogg: their byte offsets, and the packets found there.
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
      // The first Vorbis packet behind a jump only starts the overlap: it yields no frames, and its end
      // position is unchanged.
      let isVorbis = try stream.dataFormat.formatID == .vorbis
      if !isVorbis { #expect(found.frame == all.firstFrames[packet]) }
      if packet > 0, isVorbis, packet + 1 < count, target.leadingPacketCount == 0 {
        #expect(found.frame == all.firstFrames[packet + 1])
      }
    }
  }

  @Test("Behind an estimated byte offset, the packets' frames are right", arguments: encoders)
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
        let packets = (0..<4).map {
          SyntheticOgg.opusPacket(100, seed: serial * 36 + page * 4 + $0)
        }
        ogg.page(packets, granule: (page + 1) * 3840, flags: page == 8 ? 4 : 0)
      }
      return ogg.bytes
    }
  }

  private static let chainPageBytes = 4 * 100 + 27 + 4

  @Test("A jump within a forgotten link continues in that link", arguments: [16, 17, 20])
  func jumpInLaterLink(_ linkCount: Int) throws {
    let bytes = Self.chain(linkCount)
    let all = parse(bytes).recorder
    var stream = AudioFileStream()
    stream.tell(totalByteCount: Int64(bytes.count))
    var recorder = Recorder()
    // Stop four pages before the end of the last link.
    let end = bytes.count - 4 * Self.chainPageBytes
    try stream.parse(bytes.span.extracting(first: end), listener: &recorder)
    // The target is estimated from the mean packet size.
    _ = try stream.seek(toPacket: Int64(recorder.packetCount + 3))
    let place = Int(stream.nextByteOffset)
    #expect(place > end - 9 * Self.chainPageBytes)
    recorder = Recorder()
    try stream.parse(bytes.span.extracting(place..<bytes.count), listener: &recorder)
    #expect(recorder.packetCount >= 8)
    #expect(recorder.packetBytes == all.packetBytes.suffix(recorder.packetCount))
    #expect(recorder.firstFrames == all.firstFrames.suffix(recorder.packetCount))
  }

  @Test(
    "An estimated jump into a link that was never seen goes back and reads through",
    arguments: [3, 9, 20])
  func jumpIntoUnseenLink(_ linkCount: Int) throws {
    let bytes = Self.chain(linkCount)
    let all = parse(bytes).recorder
    for (wanted, seen) in [(36 * linkCount - 20, 3), (36 * linkCount - 26, 12), (36 + 10, 1)] {
      var stream = AudioFileStream(options: .repositioning)
      stream.tell(totalByteCount: Int64(bytes.count))
      var recorder = Recorder()
      try stream.parse(
        bytes.span.extracting(first: 200 + seen * Self.chainPageBytes), listener: &recorder)
      let first = Int64(recorder.packetCount)
      #expect(try stream.seek(toPacket: Int64(wanted)).isEstimated)
      let result = parseFromAnywhere(bytes, sliceBytes: 1000, with: &stream)
      #expect(result.error == nil)
      let found = result.recorder
      let start = try #require(found.packetIndices.first)
      #expect(start <= first)
      #expect(found.packetIndices == Array(start..<Int64(all.packetCount)))
      #expect(found.packetBytes == all.packetBytes.suffix(found.packetCount))
      #expect(found.firstFrames == all.firstFrames.suffix(found.packetCount))
    }
  }

  @Test("An estimated jump continues from its byte offset, also between other streams' pages")
  func jumpBesideOthers() throws {
    var video = SyntheticOgg(serial: 3)
    video.page([[0x80] + [UInt8]("theora".utf8)], granule: 0, flags: 2)
    let first = video.bytes
    var bytes: [UInt8] = []
    for (index, page) in SyntheticOgg.pages(Self.chain(1)).enumerated() {
      var others = SyntheticOgg(serial: 3)
      others.sequence = index + 1
      others.page([garbage(50)], granule: index)
      bytes += index == 0 ? first + page : others.bytes + page
    }
    var stream = AudioFileStream(options: .repositioning)
    stream.tell(totalByteCount: Int64(bytes.count))
    var recorder = Recorder()
    try stream.parse(bytes.span.extracting(first: 1500), listener: &recorder)
    #expect(try stream.seek(toPacket: 24).isEstimated)
    let found = parseFromAnywhere(bytes, sliceBytes: 300, with: &stream).recorder
    let start = try #require(found.packetIndices.first)
    #expect(start >= 16)
    #expect(found.packetIndices == Array(start..<36))
  }

  @Test("Frames and packets translate, seen or not, if all packets have one duration")
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
