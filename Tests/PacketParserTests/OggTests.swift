// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import TestKit
import Testing

/// Ogg streams with flaws, chained and multiplexed streams, and packets of every kind.
@Suite struct OggTests {
  /// Five pages of four packets of 20 ms; the granule of the last page shortens the stream.
  static let opus: SyntheticOgg = {
    var ogg = SyntheticOgg()
    ogg.beginOpus()
    for page in 0..<5 {
      let packets = (0..<4).map { SyntheticOgg.opusPacket(30 + $0 * 90, seed: page * 4 + $0) }
      let isLast = page == 4
      ogg.page(packets, granule: (page + 1) * 3840 - (isLast ? 500 : 0), flags: isLast ? 4 : 0)
    }
    return ogg
  }()

  static func packets(_ pages: Range<Int>) -> [[UInt8]] {
    pages.flatMap { page in
      (0..<4).map { SyntheticOgg.opusPacket(30 + $0 * 90, seed: page * 4 + $0) }
    }
  }

  @Test("Packets that span pages are joined")
  func continued() {
    var ogg = SyntheticOgg()
    ogg.beginOpus()
    let long = SyntheticOgg.opusPacket(255 * 4 + 100)
    let short = SyntheticOgg.opusPacket(20, seed: 5)
    let first = ogg.bytes.count
    ogg.page([short, Array(long[..<255])], granule: 960, isOpen: true)
    let second = ogg.bytes.count
    ogg.page([Array(long[255..<765])], granule: -1, flags: 1, isOpen: true)
    ogg.page([Array(long[765...]), short], granule: 2880, flags: 5)
    let (recorder, error) = parse(ogg.bytes)
    #expect(error == nil)
    #expect(recorder.packetBytes == [short, long, short])
    #expect(recorder.packetOffsets.first == Int64(first))
    #expect(recorder.packetOffsets[1] == Int64(first))
    #expect(second > first)
    #expect(recorder.isSteady)
    #expect(recorder.frameCount == 2880)
  }

  @Test("A lost page costs its packets, and granules show its duration")
  func lostPage() {
    let pages = SyntheticOgg.pages(Self.opus.bytes)
    let (recorder, error) = parse(Array((pages[..<4] + pages[5...]).joined()))
    #expect(error == nil)
    #expect(recorder.packetBytes == Self.packets(0..<2) + Self.packets(3..<5))
    #expect(recorder.firstFrames[8] == 3 * 3840)
    #expect(recorder.packetIndices == Array(0..<16))
    let place = pages[..<4].reduce(0) { $0 + $1.count }
    #expect(
      recorder.gaps == [
        AudioFileStreamGap(.damage, byteOffset: Int64(place), byteCount: 0, frameCount: 3840)
      ])
  }

  @Test("A damaged page is left out", arguments: [0, 5, 20, 26, 27, 60])
  func damagedPage(_ place: Int) {
    var pages = SyntheticOgg.pages(Self.opus.bytes)
    pages[4][place] ^= 0x10
    let (recorder, error) = parse(Array(pages.joined()))
    #expect(error == nil)
    #expect(recorder.packetBytes == Self.packets(0..<2) + Self.packets(3..<5))
    let offset = pages[..<4].reduce(0) { $0 + $1.count }
    #expect(
      recorder.gaps == [
        AudioFileStreamGap(
          .damage, byteOffset: Int64(offset), byteCount: Int64(pages[4].count), frameCount: 3840)
      ])
  }

  @Test("A packet whose beginning or end is lost is left out")
  func lostParts() {
    var ogg = SyntheticOgg()
    ogg.beginOpus()
    let long = SyntheticOgg.opusPacket(255 * 3 + 1)
    let short = SyntheticOgg.opusPacket(20, seed: 5)
    let place = ogg.bytes.count
    ogg.page([short, Array(long[..<255])], granule: 960, isOpen: true)
    ogg.sequence += 1
    ogg.page([Array(long[510...]), short], granule: 2880, flags: 1)
    let (recorder, _) = parse(ogg.bytes)
    #expect(recorder.packetBytes == [short, short])
    #expect(
      recorder.gaps == [
        AudioFileStreamGap(
          .damage, byteOffset: Int64(place), byteCount: 255 + 256, frameCount: 960)
      ])
    #expect(recorder.firstFrames == [0, 1920])
  }

  @Test("A cut stream delivers the packets of all whole pages")
  func cut() {
    let bytes = Self.opus.bytes
    let pages = SyntheticOgg.pages(bytes)
    var ends: [Int] = []
    for page in pages { ends.append((ends.last ?? 0) + page.count) }
    for end in stride(from: 1, to: bytes.count, by: 7) {
      let (recorder, error) = parse(Array(bytes[..<end]))
      let whole = ends.count { $0 <= end }
      // The first two pages hold the headers.
      #expect((error == nil) == (whole > 2))
      if whole >= 2 { #expect(recorder.packetCount == (whole - 2) * 4) }
      // A rest shorter than a page's four-byte capture pattern is not recognised as a page.
      if whole >= 2, let last = ends.last(where: { $0 <= end }), end - last >= 4 {
        #expect(
          recorder.gaps == [
            AudioFileStreamGap(.cut, byteOffset: Int64(last), byteCount: Int64(end - last))
          ])
      }
    }
  }

  @Test("The audio stream is picked out of multiplexed streams")
  func multiplexed() throws {
    let workshop = Workshop()
    let recipe = OggOracleTests.Recipe(
      encoder: """
        ffmpeg -v error -y -f lavfi -i testsrc=d=2:size=160x120:rate=10 -i in.wav -c:v libtheora \
        -c:a libvorbis out.ogg && ffmpeg -v error -y -i out.ogg -map 0:a -c copy audio.ogg
        """)
    try workshop.run(recipe.command)
    let (recorder, error) = parse(try workshop.read("out.ogg"))
    #expect(error == nil)
    #expect(recorder.packetSizes == (try workshop.packetSizesByFFprobe("out.ogg")))
    #expect(recorder.packetBytes == parse(try workshop.read("audio.ogg")).recorder.packetBytes)
    #expect(recorder.skips == [])
  }

  @Test("Audio that cannot be packetised is named")
  func speex() throws {
    let workshop = Workshop()
    try workshop.run(
      OggOracleTests.Recipe(
        rate: 16_000, channels: 1, encoder: "ffmpeg -v error -y -i in.wav -c:a libspeex out.ogg"
      ).command)
    let error = parse(try workshop.read("out.ogg")).error
    #expect(error?.code == .unsupportedDataFormat)
    #expect(error?.message.contains("Speex") == true)
    var video = SyntheticOgg()
    video.page([[0x80] + [UInt8]("theora".utf8)], granule: 0, flags: 2)
    #expect(parse(video.bytes).error?.message.contains("no audio") == true)
  }

  @Test("A stream that is joined midway waits for the next link")
  func joined() {
    let pages = SyntheticOgg.pages(Self.opus.bytes)
    var next = SyntheticOgg(serial: 9)
    next.beginOpus()
    next.page([SyntheticOgg.opusPacket(50)], granule: 960, flags: 4)
    let (recorder, error) = parse(Array(pages[3...].joined()) + next.bytes)
    #expect(error == nil)
    #expect(recorder.packetBytes == [SyntheticOgg.opusPacket(50)])
    #expect(parse(Array(pages[3...].joined())).error?.code == .invalidFile)
  }

  @Test("The first granule may trim frames, or start later")
  func movedGranules() throws {
    let workshop = Workshop()
    try workshop.run(
      OggOracleTests.Recipe(rate: 44_100, encoder: "oggenc -Q -o out.ogg in.wav").command)
    let bytes = try workshop.read("out.ogg")
    var plain = AudioFileStream()
    _ = parse(bytes, with: &plain)
    let frames = try plain.packetTableInfo.numberValidFrames
    for (shift, priming) in [(-1000, 1000), (77_000, 0)] as [(Int, Int32)] {
      let moved = SyntheticOgg.pages(bytes).flatMap { SyntheticOgg.moved($0, by: shift) }
      for tail in [0, moved.count] {
        var stream = AudioFileStream()
        stream.tell(totalByteCount: Int64(moved.count), tail: moved.span.extracting(last: tail))
        let (recorder, error) = parse(moved, with: &stream)
        #expect(error == nil)
        #expect(recorder.isSteady)
        let table = try stream.packetTableInfo
        #expect(table.primingFrames == priming)
        #expect(table.numberValidFrames == frames - Int64(priming))
        if tail > 0 { #expect(recorder.value(.packetTableInfo) == "\(table)") }
      }
    }
  }

  @Test(
    "An Opus packet's first bytes define its number of frames",
    arguments: [
      ([0x00], 480), ([0x18], 2880), ([0x61, 1], 960), ([0x7A, 1], 1920), ([0x83, 48], 5760),
      ([0x83, 0x80 | 0x40 | 48], 5760), ([0x80], 120), ([0x98], 960), ([0x1B, 2, 1], 5760),
    ] as [([UInt8], UInt32)])
  func opusFrames(_ packet: [UInt8], _ frames: UInt32) {
    var ogg = SyntheticOgg()
    ogg.beginOpus()
    ogg.page([packet], granule: Int(frames))
    let (recorder, _) = parse(ogg.bytes)
    #expect(recorder.events.contains(.time(firstFrame: 0, frames: frames)))
  }

  @Test("An Opus packet of more than 120 ms, or of 0 ms, is left out")
  func brokenOpusPackets() {
    var ogg = SyntheticOgg()
    ogg.beginOpus()
    ogg.page([[0x83, 49], [0x83], [0x83, 0], [0x1B, 3], [], [0x78, 1]], granule: 960)
    let (recorder, _) = parse(ogg.bytes)
    #expect(recorder.packetBytes == [[0x78, 1]])
    #expect(recorder.skips.count == 4)
  }

  @Test("A packet larger than 4 MiB is refused with its number and byte offset")
  func tooLarge() {
    var ogg = SyntheticOgg()
    ogg.beginOpus()
    ogg.page([SyntheticOgg.opusPacket(9)], granule: 960)
    let place = ogg.bytes.count
    var bytes = ogg.bytes
    var page = SyntheticOgg()
    page.sequence = 3
    for index in 0..<66 {
      page.page(
        [[UInt8](repeating: 0x78, count: 255 * 255)], granule: -1, flags: index > 0 ? 1 : 0,
        isOpen: true)
    }
    bytes += page.bytes
    let (recorder, error) = parse(bytes)
    #expect(recorder.packetCount == 1)
    #expect(error?.code == .invalidFile)
    #expect(error?.byteOffset == Int64(place))
    #expect(error?.message.contains("packet 1") == true)
  }

  @Test("A stream cut in two at any byte yields the same result")
  func slicing() {
    var pages = SyntheticOgg.pages(Self.opus.bytes)
    pages[3][100] ^= 1
    var other = SyntheticOgg(serial: 8)
    other.beginOpus(preSkip: 100)
    other.page([SyntheticOgg.opusPacket(90)], granule: 960, flags: 4)
    let bytes = pages.flatMap { $0 } + garbage(9) + other.bytes.dropLast(3)
    let whole = outcome(bytes, .whole)
    for split in 0...bytes.count {
      let cut = outcome(bytes, .splitAt(split))
      #expect(cut == whole, "split at \(split)")
      if cut != whole { return }
    }
    for size in [1, 2, 3, 7, 64] { #expect(outcome(bytes, .pieces(size)) == whole) }
    for seed in 0..<30 { #expect(outcome(bytes, .random(seed: UInt64(seed))) == whole) }
  }
}
