// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import TestKit
import Testing

/// Concatenated Ogg streams.
@Suite("Chained Ogg streams") struct OggChainTests {
  @Test("Chained streams of one format are one stream")
  func chained() throws {
    let workshop = Workshop()
    try workshop.run(
      """
      \(OggOracleTests.Recipe(encoder: "opusenc --quiet --title one in.wav a.ogg").command) && \
      opusenc --quiet --title two --bitrate 32 in.wav b.ogg && cat a.ogg b.ogg a.ogg >out.ogg
      """)
    let bytes = try workshop.read("out.ogg")
    let first = parse(try workshop.read("a.ogg")).recorder
    let second = parse(try workshop.read("b.ogg")).recorder
    var stream = AudioFileStream()
    let (recorder, error) = parse(bytes, with: &stream)
    #expect(error == nil)
    #expect(recorder.packetBytes == first.packetBytes + second.packetBytes + first.packetBytes)
    #expect(recorder.packetIndices == Array(0..<Int64(recorder.packetCount)))
    #expect(recorder.isSteady)
    #expect(recorder.properties.count { $0 == "dfmt" } == 3)
    #expect(try stream.infoDictionary[.title] == "one")
    #expect(recorder.properties.count { $0 == "info" } == 3)
    // The encoder's priming and padding in each link are not sound.
    var alone = AudioFileStream()
    _ = parse(try workshop.read("a.ogg"), with: &alone)
    let sound = try alone.duration.frames
    #expect(try stream.duration.frames == 3 * sound)
    #expect(3 * sound < recorder.frameCount)
    // Every packet is found again, in each link.
    for packet in [0, first.packetCount - 1, first.packetCount, first.packetCount + 40] {
      let target = try stream.seek(toPacket: Int64(packet))
      #expect(!target.isEstimated)
      let found = try FLACSeekTests.first(bytes, target, &stream)
      #expect(found.index == Int64(packet))
      #expect(found.bytes == recorder.packetBytes[packet])
      #expect(found.frame == recorder.firstFrames[packet])
    }
  }

  @Test("Granules whose sum overflows the frame count are harmless", arguments: [70, 130])
  func hugeGranules(_ linkCount: Int) throws {
    let bytes = (1...linkCount).flatMap { serial in
      var ogg = SyntheticOgg(serial: serial)
      ogg.beginOpus()
      ogg.page([SyntheticOgg.opusPacket(3)], granule: 960)
      ogg.page([SyntheticOgg.opusPacket(3)], granule: 1 << 56 - 1, flags: 4)
      return ogg.bytes
    }
    var stream = AudioFileStream()
    let (recorder, error) = parse(bytes, with: &stream)
    #expect(error == nil)
    #expect(recorder.packetCount == 2 * linkCount)
    let duration = try stream.duration.frames
    #expect(duration > 1 << 59)
    // Links that are parsed again do not add to the duration.
    for packet: Int64 in [0, 1] {
      _ = try stream.seek(toPacket: packet)
      let place = Int(stream.nextByteOffset)
      #expect(parse(Array(bytes[place...]), with: &stream).error == nil)
      #expect(try stream.duration.frames == duration)
    }
  }

  /// Pairs of links that differ in encoder, rate or channels.
  static let others = [
    ("opusenc --quiet IN OUT", 2, 48_000, "oggenc -Q -o OUT IN", 2, 44_100),
    ("oggenc -Q -o OUT IN", 2, 44_100, "oggenc -Q -o OUT IN", 2, 22_050),
    ("oggenc -Q -o OUT IN", 1, 32_000, "oggenc -Q -o OUT IN", 2, 48_000),
    ("opusenc --quiet IN OUT", 2, 48_000, "opusenc --quiet IN OUT", 1, 48_000),
    ("flac -s -f --ogg IN -o OUT", 2, 44_100, "opusenc --quiet IN OUT", 2, 48_000),
    ("oggenc -Q -o OUT IN", 1, 8_000, "flac -s -f --ogg IN -o OUT", 1, 96_000),
  ]

  @Test(
    "A chain may change its format, and its duration is that of all links", arguments: others)
  func otherFormat(
    _ first: String, _ firstChannels: Int, _ firstRate: Int, _ second: String,
    _ secondChannels: Int, _ secondRate: Int
  ) throws {
    let workshop = Workshop()
    for (name, encoder, channels, rate) in [
      ("a", first, firstChannels, firstRate), ("b", second, secondChannels, secondRate),
    ] {
      let line = encoder.replacing("IN", with: "in.wav").replacing("OUT", with: "\(name).ogg")
      try workshop.run(
        OggOracleTests.Recipe(rate: rate, channels: channels, encoder: line).command)
    }
    try workshop.run("cat a.ogg b.ogg a.ogg >out.ogg")
    let bytes = try workshop.read("out.ogg")
    var a = AudioFileStream()
    var b = AudioFileStream()
    var stream = AudioFileStream()
    let one = parse(try workshop.read("a.ogg"), with: &a).recorder
    let other = parse(try workshop.read("b.ogg"), with: &b).recorder
    stream.tell(totalByteCount: Int64(bytes.count), tail: bytes.span)
    let (recorder, error) = parse(bytes, with: &stream)
    #expect(error == nil)
    #expect(recorder.gaps == [])
    #expect(recorder.packetBytes == one.packetBytes + other.packetBytes + one.packetBytes)
    #expect(recorder.properties.count { $0 == "dfmt" } == 3)
    let sum = try 2 * a.duration.seconds + b.duration.seconds
    let duration = try stream.duration
    #expect(abs(duration.seconds - sum) < 2 / Double(min(firstRate, secondRate)))
    #expect(duration.sampleRate == Double(firstRate))
    // A seek back to the first link has its format.
    _ = try stream.seek(toPacket: 3)
    let rest = bytes.dropFirst(Int(stream.nextByteOffset))
    #expect(parse(Array(rest), with: &stream).error == nil)
    #expect(try stream.duration == duration)
  }

  /// A link with one page behind its headers.
  static func link(_ serial: Int, packets: Int = 1) -> [UInt8] {
    var ogg = SyntheticOgg(serial: serial)
    ogg.beginOpus()
    let list = (0..<packets).map { SyntheticOgg.opusPacket(50, seed: serial + $0) }
    ogg.page(list, granule: packets * 960, flags: 4)
    return ogg.bytes
  }

  @Test("The duration of a chain leaves out missing packets")
  func missingPages() throws {
    var ogg = SyntheticOgg(serial: 7)
    ogg.beginOpus()
    for page in 1...5 {
      ogg.page(
        [SyntheticOgg.opusPacket(50, seed: page)], granule: page * 960, flags: page == 5 ? 4 : 0)
    }
    let pages = SyntheticOgg.pages(ogg.bytes)
    let lost = Array((pages[..<4] + pages[6...]).joined())
    for chain in [[lost, Self.link(2, packets: 3)], [Self.link(2, packets: 3), lost]] {
      var whole = AudioFileStream()
      #expect(parse(ogg.bytes + Self.link(2, packets: 3), with: &whole).error == nil)
      var stream = AudioFileStream()
      let (recorder, error) = parse(Array(chain.joined()), with: &stream)
      #expect(error == nil)
      #expect(recorder.gaps.map(\.frameCount) == [1920])
      #expect(try stream.duration.frames == whole.duration.frames - 1920)
    }
  }

  @Test("A link that cannot be played is reported, and the next one is played")
  func unsupportedLink() {
    var speex = SyntheticOgg(serial: 20)
    speex.page([[UInt8]("Speex   ".utf8) + garbage(72)], granule: 0, flags: 2)
    for page in 1...3 { speex.page([garbage(90)], granule: page * 160) }
    let first = Self.link(1)
    let (recorder, error) = parse(first + speex.bytes + Self.link(2))
    #expect(error == nil)
    #expect(recorder.packetCount == 2)
    #expect(
      recorder.gaps == [
        AudioFileStreamGap(
          .unsupported, byteOffset: Int64(first.count), byteCount: Int64(speex.bytes.count))
      ])
    #expect(parse(speex.bytes + first).error?.message.contains("Speex") == true)
  }

  @Test("A link whose headers are damaged is reported as a loss", arguments: [0, 1])
  func damagedHeader(_ page: Int) {
    let first = Self.link(1)
    var pages = SyntheticOgg.pages(Self.link(2, packets: 3))
    pages[page][30] ^= 1
    let (recorder, error) = parse(first + pages.joined() + Self.link(3))
    #expect(error == nil)
    #expect(recorder.packetCount == 2)
    #expect(!recorder.gaps.isEmpty && recorder.gaps.allSatisfy { $0.cause == .damage })
    let end = first.count + pages.reduce(0) { $0 + $1.count }
    #expect(recorder.gaps.contains { $0.byteOffset + $0.byteCount == Int64(end) })
  }

  @Test("Bytes between links, and behind the last, are foreign")
  func foreignBytes() {
    let bytes = garbage(40) + Self.link(1) + garbage(50) + Self.link(2) + garbage(60)
    let (recorder, error) = parse(Array(bytes.dropFirst(40)))
    #expect(error == nil)
    #expect(recorder.gaps.map(\.byteCount) == [50, 60])
    #expect(recorder.gaps.allSatisfy { !$0.isLoss })
  }

  @Test("A stream that is joined midway has lost nothing")
  func joinedMidway() {
    var ogg = SyntheticOgg()
    ogg.beginOpus()
    ogg.sequence = 4711
    for page in 500..<503 { ogg.page([SyntheticOgg.opusPacket(40)], granule: page * 960) }
    let (recorder, error) = parse(ogg.bytes)
    #expect(error == nil)
    #expect(recorder.packetCount == 3 && recorder.gaps == [])
  }
}
