// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import TestKit
import Testing

/// Bytes that are not frames, and resynchronisation behind them.
@Suite struct MPEGAudioResyncTests {
  static let frames = SyntheticFrame.stream(8)
  static let more = SyntheticFrame.stream(8, from: 8)

  @Test("Garbage before the first frame is skipped and reported")
  func leadingGarbage() {
    let (recorder, error) = parse(garbage(777) + Self.frames)
    #expect(error == nil)
    #expect(recorder.events.first == .skipped(byteCount: 777, offset: 0))
    #expect(recorder.packetCount == 8)
    #expect(recorder.value(.dataOffset) == "777")
  }

  @Test("Garbage between frames is skipped and reported once, with its byte offset")
  func garbageBetween() {
    for count in [1, 2, 3, 100, 100_000] {
      let bytes = Self.frames + garbage(count) + Self.more
      let (recorder, _) = parse(bytes)
      #expect(
        recorder.skips == [.skipped(byteCount: Int64(count), offset: Int64(Self.frames.count))])
      #expect(recorder.packetCount == 16)
    }
  }

  @Test("A frame cut off by the end of the input is left out and reported")
  func cutFrame() {
    for missing in [1, 100, 413, 414, 416] {
      let (recorder, error) = parse(Array(Self.frames.dropLast(missing)))
      #expect(error == nil)
      #expect(recorder.packetCount == 7)
      let left = SyntheticFrame.stream(8).count - SyntheticFrame.stream(7).count - missing
      #expect(
        recorder.skips == [
          .skipped(byteCount: Int64(left), offset: Int64(SyntheticFrame.stream(7).count))
        ])
    }
  }

  @Test("A stream that is joined within a frame begins with the first whole one")
  func joinedMidway() {
    let (recorder, _) = parse(Array(Self.frames.dropFirst(100)))
    #expect(recorder.packetCount == 7)
    #expect(recorder.skips == [.skipped(byteCount: 317, offset: 0)])
  }

  @Test("A sync pattern that no frames follow is garbage")
  func falseSync() {
    var noise = garbage(2000)
    noise.replaceSubrange(500..<504, with: Self.frames[..<4])
    noise.replaceSubrange(917..<921, with: Self.frames[..<4])
    let (recorder, _) = parse(noise + Self.frames)
    #expect(recorder.skips == [.skipped(byteCount: 2000, offset: 0)])
    #expect(recorder.packetCount == 8)
  }

  @Test("Another format is reported once three frames confirm it, and packet numbers continue")
  func formatChange() throws {
    let other = SyntheticFrame(version: 2, bitRateIndex: 8, rateIndex: 1, mode: 3, byteCount: 192)
    let others = (0..<5).flatMap { other.bytes(seed: $0) }
    var stream = AudioFileStream()
    let (recorder, _) = parse(Self.frames + others, with: &stream)
    #expect(recorder.skips == [])
    #expect(recorder.packetCount == 13)
    #expect(recorder.properties.filter { $0 == "dfmt" }.count == 2)
    let place = recorder.events.lastIndex {
      if case .property(.dataFormat, _) = $0 { true } else { false }
    }
    guard let place, case .packet(let index, let offset, _) = recorder.events[place + 1] else {
      Issue.record("no packet follows the new format")
      return
    }
    #expect(index == 8)
    #expect(offset == Int64(Self.frames.count))
    let format = try stream.dataFormat
    #expect(format.sampleRate == 24_000)
    #expect(format.channelsPerFrame == 1)
    #expect(format.framesPerPacket == 576)
    #expect(try stream.channelLayout == AudioChannelLayout(.center))
  }

  @Test("One or two frames of another format between others are a stream of their own")
  func shortChange() {
    let mono = SyntheticFrame(bitRateIndex: 5, mode: 3, byteCount: 208)
    let low = SyntheticFrame(version: 2, bitRateIndex: 8, rateIndex: 1, byteCount: 192)
    for other in [mono, low] {
      for count in 1...2 {
        let others = (0..<count).flatMap { other.bytes(seed: $0) }
        let (recorder, _) = parse(Self.frames + others + Self.more + others + Self.more)
        #expect(recorder.gaps == [])
        #expect(recorder.properties.filter { $0 == "dfmt" }.count == 5)
        #expect(recorder.packetCount == 24 + 2 * count)
      }
    }
  }

  @Test("Two frames of another format behind garbage are garbage")
  func unconfirmedChange() {
    let other = SyntheticFrame(version: 2, bitRateIndex: 8, rateIndex: 1, byteCount: 192)
    let foreign = garbage(9) + other.bytes(seed: 1) + other.bytes(seed: 2)
    let (recorder, _) = parse(Self.frames + foreign + Self.more)
    #expect(recorder.properties.filter { $0 == "dfmt" }.count == 1)
    #expect(recorder.skips == [.skipped(byteCount: 393, offset: Int64(Self.frames.count))])
    #expect(recorder.packetCount == 16)
  }

  @Test("A gap among frames of at least half a packet is a loss, with its length in frames")
  func losses() {
    let cut = Array(Self.frames.dropLast(100))
    let cases: [(bytes: [UInt8], cause: AudioFileStreamGap.Cause, frames: Int64?)] = [
      (Self.frames + garbage(100) + Self.more, .foreignBytes, nil),
      (Self.frames + garbage(417) + Self.more, .damage, 1152),
      (Self.frames + garbage(3 * 418) + Self.more, .damage, 3 * 1152),
      (garbage(900) + Self.frames, .foreignBytes, nil),
      (Self.frames + garbage(900), .foreignBytes, nil),
      (Self.frames + garbage(900) + SyntheticTag.id3v1, .foreignBytes, nil),
      (cut, .cut, 1152),
    ]
    for (index, item) in cases.enumerated() {
      let gaps = parse(item.bytes).recorder.gaps
      #expect(gaps.map(\.cause) == [item.cause], "case \(index)")
      #expect(gaps.first?.frameCount == item.frames, "case \(index)")
    }
  }

  @Test("With a matching hint two frames are enough")
  func hintAgrees() {
    let two = Array(SyntheticFrame.stream(3).prefix(417 + 418 - 1))
    var recorder = Recorder()
    for (hint, isEnough) in [
      (AudioFileTypeID.mpegLayer3, true), (.mpegLayer2, false), (.wave, false), (nil, false),
    ] as [(AudioFileTypeID?, Bool)] {
      recorder = Recorder()
      var stream = AudioFileStream(hint: hint)
      try? stream.parse(two.span, listener: &recorder)
      #expect(stream.isReadyToProducePackets == isEnough)
    }
  }

  @Test(
    "Ten bytes first never make an MP3 an MP1 or MP2", arguments: [nil, AudioFileTypeID.mpegLayer3])
  func fewBytesFirst(_ hint: AudioFileTypeID?) {
    for split in [1, 4, 10, 100, 417, 421] {
      let (recorder, _) = parse(Self.frames, .splitAt(split), hint: hint)
      #expect(recorder.value(.fileFormat) == "MPG3")
    }
  }

  @Test("Damaged files are parsed into the frames that mpg123 plays")
  func damagedFiles() throws {
    let workshop = Workshop()
    try workshop.run(
      "\(MPEGAudioOracleTests.tone(44100, 2)) && lame --quiet -b 128 in.wav a.mp3 "
        + "&& lame --quiet -t -V 4 in.wav b.mp3")
    for name in ["a.mp3", "b.mp3"] {
      let bytes = try workshop.read(name)
      let places = parse(bytes).recorder.packetOffsets.map { Int($0) }
      let cut = places[40]
      let damaged: [String: [UInt8]] = [
        "garbage between": Array(bytes[..<cut]) + garbage(3000) + bytes[cut...],
        "a tag between": Array(bytes[..<cut]) + SyntheticTag.id3v2(3000) + bytes[cut...],
        "the end cut": Array(bytes.dropLast(50)),
        "the beginning cut": Array(bytes[(places[3] + 50)...]),
        "garbage before": garbage(900) + bytes,
        "a tag behind": bytes + SyntheticTag.id3v1,
      ]
      for (damage, bytes) in damaged {
        try workshop.write(bytes, "damaged.mp3")
        let decoded = try workshop.framesByMPG123("damaged.mp3", gapless: false)
        #expect(parse(bytes).recorder.packetCount * 1152 == decoded, "\(damage) in \(name)")
      }
      // Here mpg123 takes a false sync in the broken frame for layer I; ffmpeg does not.
      try workshop.write(Array(bytes[..<(cut + 300)]) + bytes[(cut + 351)...], "damaged.mp3")
      let lossy = parse(try workshop.read("damaged.mp3")).recorder
      #expect(lossy.packetCount == (try workshop.packetsByFFprobe("damaged.mp3")), "\(name)")
    }
  }
}
