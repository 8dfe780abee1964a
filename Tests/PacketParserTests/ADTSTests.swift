// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import TestKit
import Testing

@Suite struct ADTSTests {
  static let rates = [
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000,
    7_350,
  ]

  /// Half a second of a tone, encoded.
  static func encode(_ rate: Int, _ channels: Int, _ name: String = "out.aac") -> String {
    "ffmpeg -v error -y -f lavfi -i 'sine=f=440:d=0.5:r=\(rate)' -ac \(channels) -c:a aac \(name)"
  }

  @Test("Frames have the byte offsets that ffprobe finds, at every rate", arguments: rates)
  func rate(_ rate: Int) throws {
    let workshop = Workshop()
    for channels in [1, 2, 6] {
      try workshop.run(Self.encode(rate, channels))
      let bytes = try workshop.read("out.aac")
      var stream = AudioFileStream()
      let (recorder, error) = parse(bytes, with: &stream)
      #expect(error == nil)
      #expect(recorder.failures == [])
      #expect(recorder.placedPackets == (try workshop.probedPackets("out.aac")))
      #expect(recorder.skips == [])
      let format = try stream.dataFormat
      #expect(format.formatID == .mpeg4AAC)
      #expect(format.sampleRate == Double(rate))
      #expect(format.channelsPerFrame == UInt32(channels))
      #expect(format.framesPerPacket == 1024)
      #expect(try stream.channelLayout.labels.count == channels)
      // The expected cookie is the one that ffmpeg writes into MPEG-4.
      if channels != 2 { continue }
      try workshop.run("ffmpeg -v error -y -i out.aac -c copy out.mp4")
      let file = try workshop.read("out.mp4")
      let cookie = try stream.magicCookieData
      let hasCookie = file.indices.dropLast(8).contains { place in
        file[place] == 5 && file[place + 1] == 0x80 && file[(place + 5)...].starts(with: cookie)
      }
      #expect(hasCookie, "\(cookie)")
    }
  }

  @Test("Properties come in order, ready last, before the packets")
  func properties() throws {
    let bytes = SyntheticADTS.stream(5)
    let (recorder, _) = parse(bytes, totalByteCount: Int64(bytes.count))
    #expect(
      recorder.properties == [
        "ffmt", "dfmt", "flst", "mgic", "cmap", "doff", "bcnt", "pkub", "redy",
      ])
    #expect(recorder.value(.fileFormat) == "adts")
    #expect(recorder.value(.dataOffset) == "0")
    #expect(recorder.value(.audioDataByteCount) == "\(bytes.count)")
    #expect(recorder.value(.packetSizeUpperBound) == "8191")
    #expect(recorder.value(.magicCookieData) == "[18, 16]")
    #expect(recorder.packets.joined().elementsEqual(bytes))
  }

  @Test("Tags before, between and behind frames are neither packets nor garbage")
  func tags() throws {
    let frames = SyntheticADTS.stream(4)
    let more = SyntheticADTS.stream(3, from: 4)
    let bytes =
      SyntheticTag.id3v2(100) + SyntheticTag.id3v2(20, hasFooter: true) + [0, 0, 0] + frames
      + SyntheticTag.id3v2(40) + more + SyntheticTag.apeV2(30) + SyntheticTag.id3v1
    let (recorder, error) = parse(bytes)
    #expect(error == nil)
    #expect(recorder.packets.joined().elementsEqual(frames + more))
    #expect(recorder.skips == [])
    #expect(recorder.value(.fileFormat) == "adts")
    #expect(recorder.value(.dataOffset) == "153")
  }

  @Test("ffprobe finds the same packets in a file with a tag in front, cut at the ends, or doubled")
  func damaged() throws {
    let workshop = Workshop()
    try workshop.run(Self.encode(44_100, 2))
    let file = try workshop.read("out.aac")
    let inputs = [
      SyntheticTag.id3v2(300) + file, Array(file[1001...]), Array(file[..<(file.count - 100)]),
      file + file, SyntheticTag.id3v2(9) + file + SyntheticTag.id3v2(99) + file,
    ]
    for (number, input) in inputs.enumerated() {
      try workshop.write(input, "in.aac")
      let found = parse(input, hint: .aacADTS).recorder.placedPackets
      var probed = try workshop.probedPackets("in.aac")
      // ffprobe counts the rest of a frame that is cut off by the file's end as a packet.
      if number == 2 { probed.removeLast() }
      // ffprobe's offsets leave out the bytes of a tag between frames.
      if number == 4 {
        for index in probed.count / 2..<probed.count { probed[index].offset += 109 }
      }
      #expect(found == probed, "input \(number)")
    }
  }

  @Test("Frames with a checksum, and with several raw data blocks, are whole packets")
  func checksumsAndBlocks() throws {
    let checked = SyntheticADTS.stream(6, SyntheticADTS(hasCRC: true))
    let (recorder, _) = parse(checked)
    #expect(recorder.packets.joined().elementsEqual(checked))
    var stream = AudioFileStream()
    let blocks = SyntheticADTS.stream(6, SyntheticADTS(hasCRC: true, blocks: 3))
    #expect(parse(blocks, with: &stream).recorder.packets.joined().elementsEqual(blocks))
    #expect(try stream.dataFormat.framesPerPacket == 3072)
    #expect(try stream.duration.frames == 6 * 3072)
  }

  @Test("Once frames differ in their number of blocks, each packet states its frame count")
  func varyingBlocks() throws {
    let one = SyntheticADTS()
    let two = SyntheticADTS(blocks: 2)
    let bytes =
      SyntheticADTS.stream(4, one) + SyntheticADTS.stream(2, two) + SyntheticADTS.stream(2, one)
    var stream = AudioFileStream()
    let (recorder, _) = parse(bytes, with: &stream)
    #expect(recorder.packets.joined().elementsEqual(bytes))
    #expect(recorder.properties.suffix(1) == ["dfmt"])
    let times = recorder.events.compactMap { event -> UInt32? in
      if case .time(_, let frames) = event { frames } else { nil }
    }
    #expect(times == [2048, 2048, 1024, 1024])
    #expect(try stream.dataFormat.framesPerPacket == 0)
    #expect(try stream.duration.frames == 10 * 1024)
    #expect(try stream.firstFrame(ofPacket: 6) == 8 * 1024)
    #expect(try stream.packet(containingFrame: 5000).packet == 4)
    let mixed = SyntheticADTS.stream(1, two) + SyntheticADTS.stream(5, one)
    #expect(parse(mixed).recorder.value(.dataFormat)?.contains("framesPerPacket: 0") == true)
  }

  @Test("Garbage before, between and behind frames is reported, and no frame is lost")
  func resynchronization() {
    let first = SyntheticADTS.stream(4)
    let second = SyntheticADTS.stream(3, from: 4)
    let gap: [UInt8] = garbage(50) + [0xFF, 0xF1, 0x50, 0x80, 0x0F, 0x1F, 0xFC] + garbage(20)
    let bytes = garbage(33) + first + gap + second + Array(SyntheticADTS().bytes(seed: 1)[..<31])
    let (recorder, error) = parse(bytes)
    #expect(error == nil)
    #expect(recorder.packets.joined().elementsEqual(first + second))
    #expect(
      recorder.skips == [
        .skipped(byteCount: 33, offset: 0),
        .skipped(byteCount: Int64(gap.count), offset: Int64(33 + first.count)),
        .skipped(byteCount: 31, offset: Int64(bytes.count - 31)),
      ])
  }

  @Test("A format change midway is reported with its cookie")
  func formatChange() throws {
    let bytes = SyntheticADTS.stream(4) + SyntheticADTS.stream(3, SyntheticADTS(rateIndex: 3))
    var stream = AudioFileStream()
    let (recorder, _) = parse(bytes, with: &stream)
    #expect(recorder.packetCount == 7)
    #expect(recorder.skips == [])
    #expect(recorder.properties.suffix(2) == ["dfmt", "mgic"])
    #expect(try stream.dataFormat.sampleRate == 48_000)
    #expect(try stream.magicCookieData == [0x11, 0x90])
  }

  @Test("After a format change, a seek back finds the first packets and reports their format")
  func seekBackOverFormatChange() throws {
    // A format needs three frames to be accepted: from the second frame on there are only two.
    let bytes =
      SyntheticADTS.stream(3, SyntheticADTS(channels: 1)) + SyntheticADTS.stream(6, from: 3)
    var stream = AudioFileStream()
    let packets = parse(bytes, with: &stream).recorder.packetBytes
    #expect(try stream.dataFormat.channelsPerFrame == 2)
    let target = try stream.seek(toPacket: 1)
    #expect(!target.isEstimated)
    let found = try FLACSeekTests.first(bytes, target, &stream)
    #expect(found.index == 1)
    #expect(found.bytes == packets[1])
    #expect(try stream.dataFormat.channelsPerFrame == 2, "and goes on into the second")
  }

  @Test("Each number of channels has its layout")
  func channels() throws {
    let labels: [[UInt32]] = [
      [42], [1, 2], [3, 1, 2], [3, 1, 2, 9], [3, 1, 2, 5, 6], [3, 1, 2, 5, 6, 4],
      [3, 7, 8, 1, 2, 5, 6, 4],
    ]
    for (index, labels) in labels.enumerated() {
      var stream = AudioFileStream()
      _ = parse(SyntheticADTS.stream(3, SyntheticADTS(channels: index + 1)), with: &stream)
      #expect(try stream.dataFormat.channelsPerFrame == UInt32(labels.count))
      #expect(try stream.channelLayout.labels == labels)
    }
  }

  @Test("A program config element defines the channels; without one the format is refused")
  func programConfig() throws {
    let element = SyntheticADTS.programConfig(
      front: [false, true], side: [true], back: [false], lowFrequency: 1, comment: "hello")
    let frame = SyntheticADTS(channels: 0, byteCount: 100)
    let bytes = frame.bytes(seed: 1, content: element) + SyntheticADTS.stream(3, frame)
    var stream = AudioFileStream()
    let (recorder, error) = parse(bytes, with: &stream)
    #expect(error == nil)
    #expect(recorder.packetCount == 4)
    #expect(try stream.dataFormat.channelsPerFrame == 7)
    let layout = try? stream.channelLayout
    #expect(layout == nil)
    let checked = SyntheticADTS(channels: 0, hasCRC: true, blocks: 2, byteCount: 100)
    let stereo = [0, 0, 0, 0] + SyntheticADTS.programConfig(front: [true])
    #expect(
      parse(checked.bytes(seed: 1, content: stereo) + SyntheticADTS.stream(3, checked))
        .recorder.value(.dataFormat)?.contains("channelsPerFrame: 2") == true)
    let single = (0..<3).flatMap { frame.bytes(seed: $0, content: [0, 0, 0]) }
    let refused = parse(single).error
    #expect(refused?.code == .unsupportedDataFormat)
    #expect(refused?.message.contains("channels") == true)
  }

  @Test("The cookie of a program config element equals ffmpeg's")
  func programConfigCookie() throws {
    let workshop = Workshop()
    try workshop.run(
      "ffmpeg -v error -y -f lavfi -i 'sine=d=0.3:r=44100' -af aformat=channel_layouts=2.1 -c:a aac o.aac"
    )
    var stream = AudioFileStream()
    let (recorder, error) = parse(try workshop.read("o.aac"), with: &stream)
    #expect(error == nil)
    #expect(recorder.placedPackets == (try workshop.probedPackets("o.aac")))
    #expect(try stream.dataFormat.channelsPerFrame == 3)
    try workshop.run("ffmpeg -v error -y -i o.aac -c copy -bsf:a aac_adtstoasc o.mp4")
    let file = try workshop.read("o.mp4")
    let cookie = try stream.magicCookieData
    #expect(cookie.count > 4)
    let isThere = file.indices.contains { file[$0...].starts(with: cookie.dropLast()) }
    #expect(isThere, "\(cookie)")
  }

  @Test("ADTS that does not begin with a frame is found, whatever the hint")
  func joinedMidway() {
    let frames = SyntheticADTS.stream(6)
    for hint in [nil, AudioFileTypeID.aacADTS, .mpegLayer3, .wave] {
      let (recorder, error) = parse(garbage(100) + frames, hint: hint)
      #expect(error == nil)
      #expect(recorder.value(.fileFormat) == "adts")
      #expect(recorder.packets.joined().elementsEqual(frames))
      #expect(recorder.skips == [.skipped(byteCount: 100, offset: 0)])
    }
  }

  @Test("MPEG audio whose first bytes look like ADTS is found, whatever the hint")
  func mistakenForADTS() {
    let frames = SyntheticFrame.stream(5)
    let start: [UInt8] = [0xFF, 0xF1, 0x50, 0x80, 0x0F, 0x1F, 0xFC] + garbage(90)
    for hint in [nil, AudioFileTypeID.aacADTS, .mpegLayer3, .wave] {
      let (recorder, error) = parse(start + frames, hint: hint)
      #expect(error == nil)
      #expect(recorder.value(.fileFormat) == "MPG3")
      #expect(recorder.packetCount == 5)
      #expect(recorder.skips == [.skipped(byteCount: Int64(start.count), offset: 0)])
    }
  }

  @Test("Without frames the search ends, and the hint decides which error is thrown")
  func nothingFound() {
    let start: [UInt8] = [0xFF, 0xF1, 0x50, 0x80, 0x0F, 0x1F, 0xFC]
    #expect(parse(start + garbage(70_000)).error?.code == .unsupportedFileType)
    let hinted = parse(start + garbage(1_100_000), hint: .aacADTS).error
    #expect(hinted?.code == .invalidFile)
    #expect(hinted?.byteOffset == 1 << 20)
  }

  @Test("A seek is exact for packets that were seen, and bounded beyond")
  func seek() throws {
    let frames = SyntheticADTS.stream(400)
    let bytes = frames + garbage(40) + SyntheticADTS.stream(100, from: 400)
    let places = parse(bytes).recorder
    var stream = AudioFileStream()
    var recorder = Recorder()
    try stream.parse(bytes.span.extracting(0..<15_000), listener: &recorder)
    let seen = recorder.packetCount
    for packet in [0, 1, seen / 2, seen - 1] {
      let target = try stream.seekTarget(packet: Int64(packet))
      #expect(!target.isEstimated)
      #expect(target.byteOffset == places.packetOffsets[packet])
    }
    for packet in [seen, 450] {
      let target = try stream.seek(toPacket: Int64(packet))
      #expect(target.isEstimated)
      let bound = try #require(target.errorBoundInPackets)
      let actual = places.packetOffsets.firstIndex { $0 >= target.byteOffset } ?? 500
      #expect(abs(actual - packet) <= Int(bound))
    }
    let start = Int(stream.nextByteOffset)
    var later = Recorder()
    try stream.parse(bytes.span.extracting(start..<bytes.count), listener: &later)
    try stream.finish(listener: &later)
    #expect(later.packetNumbers.first == 450)
    #expect(later.skips == [], "what precedes the first frame is no loss")
    let back = try stream.seek(toPacket: 7)
    #expect(!back.isEstimated)
    var again = Recorder()
    try stream.parse(bytes.span.extracting(Int(back.byteOffset)..<bytes.count), listener: &again)
    #expect(again.packetNumbers == Array(7..<500))
    #expect(again.packetOffsets == Array(places.packetOffsets[7...]))
  }

  @Test("After the end all packets are known, and bytes and packets translate")
  func translations() throws {
    let bytes = SyntheticADTS.stream(50)
    var stream = AudioFileStream()
    let (recorder, _) = parse(bytes, with: &stream)
    #expect(try stream.audioDataPacketCount == 50)
    #expect(try stream.maximumPacketSize == recorder.packets.map(\.count).max())
    let place = try stream.packet(containingByte: recorder.packetOffsets[20] + 5)
    #expect(place.packet == 20)
    #expect(place.byteOffsetInPacket == 5)
    #expect(!place.isEstimated)
    #expect(try stream.byte(ofPacket: 20).byte == recorder.packetOffsets[20])
    #expect(try stream.bitRate > 0)
  }

  @Test("Lost continuity leads to the next two frames that agree")
  func discontinuity() throws {
    let bytes = SyntheticADTS.stream(20)
    let offsets = parse(bytes).recorder.packetOffsets
    var stream = AudioFileStream()
    var recorder = Recorder()
    try stream.parse(bytes.span.extracting(0..<500), listener: &recorder)
    var later = Recorder()
    let start = Int(offsets[10]) + 3
    try stream.parse(
      bytes.span.extracting(start..<bytes.count), discontinuity: true, listener: &later)
    #expect(later.packets.count == 9)
    #expect(later.skips == [])
  }

  static let inputs: [SlicingTests.Input] = {
    let frame = SyntheticADTS(channels: 0, byteCount: 60)
    let config = frame.bytes(seed: 1, content: SyntheticADTS.programConfig(front: [true]))
    let short = SyntheticADTS(byteCount: 20)
    let frames = SyntheticADTS.stream(4, short)
    let slow = SyntheticFrame(version: 2, bitRateIndex: 1, rateIndex: 1, mode: 3, byteCount: 24)
    let layerIII = (0..<5).flatMap { slow.bytes(seed: $0) }
    return [
      .init(testDescription: "frames", bytes: frames),
      .init(testDescription: "frames with a hint", bytes: Array(frames[..<60]), hint: .aacADTS),
      .init(testDescription: "blocks", bytes: frames + SyntheticADTS(blocks: 2).bytes(seed: 0)),
      .init(
        testDescription: "tags",
        bytes: SyntheticTag.id3v2(20) + frames + SyntheticTag.id3v2(15) + frames
          + SyntheticTag.apeV2(9) + SyntheticTag.id3v1),
      .init(
        testDescription: "garbage",
        bytes: garbage(30) + frames + [0xFF] + garbage(40) + [0xFF, 0xF1] + frames + [0xFF, 0xF1]),
      .init(
        testDescription: "another format",
        bytes: frames + SyntheticADTS.stream(3, SyntheticADTS(rateIndex: 3, byteCount: 12))),
      .init(testDescription: "a program config", bytes: config + config + frames),
      .init(
        testDescription: "no program config", bytes: frame.bytes(seed: 1, content: [0]) + config),
      .init(testDescription: "a cut frame", bytes: Array(frames.dropLast(5))),
      .init(
        testDescription: "MPEG audio behind a false start",
        bytes: Array(frames[..<9]) + garbage(20) + layerIII),
    ]
  }()

  @Test("Slicing of the input does not change the result", arguments: inputs)
  func slicing(_ input: SlicingTests.Input) {
    let whole = outcome(input.bytes, .whole, hint: input.hint)
    for split in 0...input.bytes.count {
      #expect(outcome(input.bytes, .splitAt(split), hint: input.hint) == whole, "at \(split)")
    }
    for size in [1, 7] { #expect(outcome(input.bytes, .pieces(size), hint: input.hint) == whole) }
    for seed in 0..<20 {
      #expect(outcome(input.bytes, .random(seed: UInt64(seed)), hint: input.hint) == whole)
    }
  }

  @Test("A single frame with another channel count is a stream of its own")
  func shortChange() {
    let other = SyntheticADTS(channels: 1).bytes(seed: 3)
    let (recorder, _) = parse(SyntheticADTS.stream(9) + other + SyntheticADTS.stream(9))
    #expect(recorder.gaps == [])
    #expect(recorder.packetCount == 19)
    #expect(recorder.properties.filter { $0 == "dfmt" }.count == 3)
  }

  @Test("Frames that are damaged, or cut off by the end, are reported as a loss")
  func losses() {
    let (before, behind) = (SyntheticADTS.stream(9), SyntheticADTS.stream(9))
    for (bytes, cause, frames) in [
      (before + garbage(10) + behind, .foreignBytes, nil),
      (before + garbage(80) + behind, .damage, nil),
      (before + garbage(80), .foreignBytes, nil), (Array(before.dropLast(5)), .cut, 1024),
    ] as [([UInt8], AudioFileStreamGap.Cause, Int64?)] {
      let gaps = parse(bytes).recorder.gaps
      #expect(gaps.map(\.cause) == [cause])
      #expect(gaps.first?.frameCount == frames)
    }
  }
}
