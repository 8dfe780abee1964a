// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import Testing

/// Core Audio Format files made by hand, with features that none of the installed programs writes.
@Suite struct CoreAudioFormatChunkTests {
  @Test("Tags and a packet table behind constant packets are reported when they are reached")
  func behindTheAudio() throws {
    let file = SyntheticCAF().bytes(
      SyntheticCAF.data(garbage(400)),
      SyntheticCAF.table([], valid: 90, priming: 4, remainder: 6), SyntheticCAF.chunk("strg", [1]),
      SyntheticCAF.information([("title", "late")]), SyntheticCAF.information([("title", "later")]))
    var stream = AudioFileStream()
    let (recorder, error) = parse(file, with: &stream)
    #expect(error == nil)
    #expect(recorder.pcmFrames == 100)
    #expect(recorder.properties.suffix(3) == ["redy", "pnfo", "info"])
    #expect(try stream.infoDictionary[.title] == "late")
    #expect(try stream.duration.frames == 90)
    #expect(recorder.skips == [])
  }

  @Test("Layouts come as a tag, as bits and as labels")
  func layouts() throws {
    func labels(_ channels: Int, _ tag: Int, _ bits: Int = 0, _ list: [Int] = []) -> [UInt32]? {
      let chunk =
        bigEndian(tag, 4) + bigEndian(bits, 4) + bigEndian(list.count, 4)
        + list.flatMap { bigEndian($0, 4) + [UInt8](repeating: 0, count: 16) }
      let caf = SyntheticCAF(bytesPerPacket: 2 * channels, channels: channels)
      var stream = AudioFileStream()
      let file = caf.bytes(
        SyntheticCAF.chunk("chan", chunk), SyntheticCAF.data(garbage(2 * channels)))
      #expect(parse(file, with: &stream).error == nil)
      return (try? stream.channelLayout)?.labels
    }
    #expect(labels(1, 100 << 16 | 1) == [42])
    #expect(labels(6, 124 << 16 | 6) == [3, 1, 2, 5, 6, 4])
    #expect(labels(6, 0x10000, 0x60F) == [1, 2, 3, 4, 10, 11])
    #expect(labels(3, 0, 0, [2, 1, 3]) == [2, 1, 3])
    #expect(labels(2, 124 << 16 | 6) == nil, "more speakers than channels")
    #expect(labels(2, 0, 0, [1]) == nil, "fewer")
    #expect(labels(2, 147 << 16 | 2) == nil, "no speakers named")
    let bare = { (channels: Int) -> String? in
      let caf = SyntheticCAF(bytesPerPacket: 2 * channels, channels: channels)
      return parse(caf.bytes(SyntheticCAF.data(garbage(12)))).recorder.value(.channelLayout)
    }
    #expect(bare(1) == "4")
    #expect(bare(2) == "3")
    #expect(bare(6) == nil)
  }

  @Test("HE-AAC can be decoded without its extensions, too")
  func formatList() throws {
    for (formatID, count) in [("aac ", 1), ("aach", 2), ("aacp", 3)] {
      let caf = SyntheticCAF(
        formatID: formatID, flags: 0, bytesPerPacket: 0, framesPerPacket: 2048, bits: 0)
      var stream = AudioFileStream()
      _ = parse(caf.bytes(SyntheticCAF.table([9]), SyntheticCAF.data(garbage(9))), with: &stream)
      let list = try stream.formatList.map(\.format)
      #expect(list.count == count)
      #expect(list[0] == (try stream.dataFormat))
      #expect(list.last?.formatID == .mpeg4AAC)
      if count > 1 {
        #expect(list.last?.sampleRate == 22_050)
        #expect(list.last?.framesPerPacket == 1024)
      }
    }
  }

  @Test("Packets that differ in duration state it, alone or with their size")
  func variableDuration() throws {
    let sizes = (0..<300).map { 3 + $0 * 7 % 200 }
    let frames = (0..<300).map { 100 + $0 * 11 % 900 }
    let data = garbage(sizes.reduce(0, +))
    let both = SyntheticCAF.variable(framesPerPacket: 0).bytes(
      SyntheticCAF.table(zip(sizes, frames).flatMap { [$0, $1] }, packets: 300),
      SyntheticCAF.data(data))
    let constantSize = SyntheticCAF.variable(framesPerPacket: 0, bytesPerPacket: 10).bytes(
      SyntheticCAF.table(frames), SyntheticCAF.data(garbage(3000)))
    for (bytes, sizes) in [(both, sizes), (constantSize, frames.map { _ in 10 })] {
      var stream = AudioFileStream()
      let (recorder, error) = parse(bytes, with: &stream)
      #expect(error == nil)
      #expect(recorder.failures == [])
      #expect(recorder.packets.map(\.count) == sizes)
      var expected: [Recorder.Event] = []
      var frame: Int64 = 0
      for count in frames {
        expected.append(.time(firstFrame: frame, frames: UInt32(count)))
        frame += Int64(count)
      }
      #expect(recorder.events.filter { if case .time = $0 { true } else { false } } == expected)
      #expect(try stream.duration.frames == frame)
      #expect(try stream.firstFrame(ofPacket: 200) == Int64(frames[..<200].reduce(0, +)))
      let place = try stream.packet(containingFrame: Int64(frames[..<150].reduce(0, +)) + 7)
      #expect(place.packet == 150)
      #expect(place.frameOffsetInPacket == 7)
    }
  }

  @Test("A seek leads to the packet's first byte, from any state")
  func seek() throws {
    let sizes = (0..<1000).map { 1 + $0 * 13 % 300 }
    let bytes = SyntheticCAF.variable().bytes(
      SyntheticCAF.table(sizes), SyntheticCAF.data(garbage(sizes.reduce(0, +))),
      SyntheticCAF.information([("title", "t")]))
    var stream = AudioFileStream()
    let all = parse(bytes, with: &stream).recorder
    for packet in [999, 0, 64, 63, 65, 500, 998] {
      let target = try stream.seek(toPacket: Int64(packet))
      #expect(!target.isEstimated)
      #expect(target.leadingPacketCount == 0)
      #expect(target.byteOffset == Int64(sizes[..<packet].reduce(0, +)))
      var recorder = Recorder()
      let start = Int(stream.nextByteOffset)
      try stream.parse(bytes.span.extracting(start..<bytes.count), listener: &recorder)
      try stream.finish(listener: &recorder)
      #expect(recorder.packetNumbers == Array(Int64(packet)..<1000))
      #expect(recorder.packetOffsets == Array(all.packetOffsets[packet...]))
      let place = try stream.packet(containingByte: target.byteOffset)
      #expect(place.packet == Int64(packet))
      #expect(place.byteOffsetInPacket == 0)
      #expect(!place.isEstimated)
    }
    #expect(throws: AudioFileStreamError.self) { try stream.seek(toPacket: 1000) }
    var pcm = AudioFileStream()
    _ = parse(SyntheticCAF().bytes(SyntheticCAF.data(garbage(4000))), with: &pcm)
    #expect(try pcm.seekTarget(packet: 77).byteOffset == 308)
    #expect(try pcm.packet(containingByte: 310).packet == 77)
  }

  @Test("Data of unknown size run to the end")
  func unknownSize() throws {
    let pcm = parse(SyntheticCAF().bytes(SyntheticCAF.data(garbage(42), stated: -1))).recorder
    #expect(pcm.pcmFrames == 10)
    #expect(pcm.value(.audioDataByteCount) == nil)
    #expect(pcm.skips == [.skipped(byteCount: 2, offset: 108)])
    let table = SyntheticCAF.table([5, 6, 7])
    let known = parse(
      SyntheticCAF.variable().bytes(table, SyntheticCAF.data(garbage(20), stated: -1))
    ).recorder
    #expect(known.packets.map(\.count) == [5, 6, 7])
    #expect(known.skips.count == 1)
    let never = parse(SyntheticCAF.variable().bytes(SyntheticCAF.data(garbage(20), stated: -1)))
    #expect(never.error?.code == .invalidFile)
    #expect(never.error?.message.contains("never finished") == true)
  }

  @Test("A stream length beyond the countable frames is harmless with data of unknown size")
  func unknownSizeOfAbsurdLength() throws {
    var caf = SyntheticCAF.variable(framesPerPacket: 1 << 20, bytesPerPacket: 1)
    caf.channels = 1
    let file = caf.bytes(SyntheticCAF.data(garbage(9), stated: -1))
    for length: Int64 in [17_592_186_044_416_000, 1 << 43, .max] {
      var stream = AudioFileStream()
      stream.tell(totalByteCount: length)
      var recorder = Recorder()
      try stream.parse(file.span, listener: &recorder)
      #expect(try stream.duration.frames == 1 << 60)
      try stream.finish(listener: &recorder)
      #expect(recorder.pcm.count == 9)
      #expect(try stream.duration.frames == 9 << 20)
    }
  }

  @Test("A cut file delivers every whole packet before the cut, and reports the missing rest")
  func truncation() throws {
    let bytes = SyntheticCAF.variable().bytes(
      SyntheticCAF.table([50, 60, 70]), SyntheticCAF.data(garbage(180)))
    let (recorder, error) = parse(Array(bytes.dropLast(20)))
    #expect(error == nil)
    #expect(recorder.packets.map(\.count) == [50, 60])
    #expect(
      recorder.gaps == [
        AudioFileStreamGap(
          .cut, byteOffset: Int64(bytes.count - 70), byteCount: 50,
          frameCount: Int64(SyntheticCAF.variable().framesPerPacket))
      ])
    var stream = AudioFileStream()
    stream.tell(totalByteCount: 150)
    let pcm = SyntheticCAF().bytes(SyntheticCAF.data(garbage(400)))
    let cut = parse(Array(pcm[..<150]), with: &stream).recorder
    #expect(cut.value(.audioDataByteCount) == "80")
    #expect(cut.pcmFrames == 20)
    for length in [9, 30, 60, 70] {
      #expect(parse(Array(bytes[..<length])).error?.code == .invalidFile, "\(length)")
    }
  }

  @Test("A packet table longer than the audio ends with the audio; a shorter one ends before it")
  func contradictions() {
    let table = SyntheticCAF.table([50, 60, 70])
    let short = parse(SyntheticCAF.variable().bytes(table, SyntheticCAF.data(garbage(115))))
      .recorder
    #expect(short.packets.map(\.count) == [50, 60])
    #expect(short.value(.audioDataPacketCount) == "2")
    #expect(short.value(.maximumPacketSize) == "60")
    #expect(short.gaps == [AudioFileStreamGap(.cut, byteOffset: 217, byteCount: 5)])
    let long = parse(SyntheticCAF.variable().bytes(table, SyntheticCAF.data(garbage(199)))).recorder
    #expect(long.packets.map(\.count) == [50, 60, 70])
    #expect(long.gaps == [AudioFileStreamGap(.foreignBytes, byteOffset: 287, byteCount: 19)])
  }

  @Test("A table entry of 0 bytes is not a packet")
  func emptyEntries() {
    let table = SyntheticCAF.table([50, 0, 70, 0])
    let recorder = parse(SyntheticCAF.variable().bytes(table, SyntheticCAF.data(garbage(120))))
      .recorder
    #expect(recorder.packets.map(\.count) == [50, 70])
    #expect(recorder.value(.audioDataPacketCount) == "2")
    #expect(recorder.skips.isEmpty)
  }

  @Test("Contradictions of the format are refused, with the byte offset")
  func invalidFiles() {
    func check(
      _ bytes: [UInt8], _ code: AudioFileStreamError.Code = .invalidFile, at offset: Int64? = nil
    ) {
      let error = parse(bytes).error
      #expect(error?.code == code)
      if let offset { #expect(error?.byteOffset == offset) }
    }
    let data = SyntheticCAF.data(garbage(8))
    let variable = SyntheticCAF.variable()
    check(SyntheticCAF(version: 2).bytes(data), .unsupportedFileType, at: 0)
    check(SyntheticCAF(rate: 0).bytes(data), at: 20)
    check(SyntheticCAF(rate: .nan).bytes(data), at: 20)
    check(SyntheticCAF(rate: .infinity).bytes(data), at: 20)
    check(SyntheticCAF(channels: 0).bytes(data), at: 20)
    check(SyntheticCAF(channels: 5000).bytes(data), at: 20)
    check(SyntheticCAF(bytesPerPacket: 3).bytes(data), .unsupportedDataFormat, at: 20)
    check(SyntheticCAF(framesPerPacket: 2).bytes(data), .unsupportedDataFormat)
    check(SyntheticCAF(flags: 1).bytes(data), .unsupportedDataFormat)
    check(SyntheticCAF(bits: 17).bytes(data), .unsupportedDataFormat)
    check(SyntheticCAF().bytes(SyntheticCAF.chunk("free", [], stated: -5)), at: 52)
    check(SyntheticCAF().bytes(SyntheticCAF.chunk("free", [], stated: .max)), at: 52)
    check(SyntheticCAF().bytes(SyntheticCAF.chunk("data", [], stated: 3)), at: 64)
    check(SyntheticCAF().bytes(SyntheticCAF.chunk("data", [], stated: .max - 64)), at: 52)
    let huge = SyntheticCAF(
      formatID: "what", bytesPerPacket: 1, framesPerPacket: 1 << 20, bits: 0)
    check(huge.bytes(SyntheticCAF.chunk("data", [], stated: 1 << 49)), at: 64)
    check(variable.bytes(SyntheticCAF.table([1, 5 << 20]), data), at: 89)
    check(variable.bytes(SyntheticCAF.table([1, 1 << 60]), data), at: 89)
    check(variable.bytes(SyntheticCAF.table([1, 2], packets: 3), data), at: 64)
    check(variable.bytes(SyntheticCAF.table([1, 2], packets: 1 << 40), data), at: 64)
    check(variable.bytes(SyntheticCAF.table([1, 2], packets: -1), data), at: 64)
    check(variable.bytes(SyntheticCAF.table([300, 300], packets: 3), data))
    check(variable.bytes(SyntheticCAF.chunk("pakt", [0, 0]), data), at: 64)
    check(SyntheticCAF().bytes(SyntheticCAF.chunk("kuki", [], stated: 2 << 20)))
    check(Array("caff".utf8) + [0, 1, 0, 0] + data)
    check(Array("caff".utf8) + [0, 1, 0, 0] + SyntheticCAF.table([1]))
    check(Array("caff".utf8) + [0, 1, 0, 0] + SyntheticCAF.chunk("desc", [1, 2, 3]))
  }

  @Test("A source that can be read anywhere is not read where nothing can be learned")
  func bytesRead() throws {
    let sizes = [Int](repeating: 1000, count: 200)
    let bytes = SyntheticCAF.variable().bytes(
      SyntheticCAF.chunk("free", garbage(300_000)), SyntheticCAF.data(garbage(200_000)),
      SyntheticCAF.chunk("free", garbage(300_000)), SyntheticCAF.table(sizes),
      SyntheticCAF.information([("title", "behind")]))
    var options = AudioFileStreamOptions()
    options.canReposition = true
    var stream = AudioFileStream(options: options)
    let (recorder, error, read) = parseFromAnywhere(bytes, sliceBytes: 1000, with: &stream)
    #expect(error == nil)
    #expect(recorder.packetCount == 200)
    #expect(recorder.properties.last == "info")
    #expect(read < 220_000, "the audio once, and some headers")
    var lost = AudioFileStream(options: options)
    let end = bytes.count - 290_000
    let failure = parseFromAnywhere(Array(bytes[..<end]), sliceBytes: 1000, with: &lost).error
    #expect(failure?.code == .invalidFile)
    #expect(failure?.message.contains("packet table") == true)
  }

  @Test("A small file with false sizes takes neither memory nor time")
  func hostileFiles() {
    let clock = ContinuousClock()
    let elapsed = clock.measure {
      for stated in [1 << 40, 1 << 24, 1 << 31] {
        let table = SyntheticCAF.chunk(
          "pakt", bigEndian(stated, 8) + bigEndian(0, 16) + [1, 1, 1], stated: 1 << 45)
        #expect(parse(SyntheticCAF.variable().bytes(table)).error?.code == .invalidFile)
      }
      for id in ["kuki", "chan", "info", "free", "data"] {
        _ = parse(SyntheticCAF().bytes(SyntheticCAF.chunk(id, [1, 2, 3], stated: 1 << 45)))
      }
    }
    #expect(elapsed < .milliseconds(500))
  }

  static let inputs: [SlicingTests.Input] = {
    let table = SyntheticCAF.table(
      [5, 200, 7], valid: 3000, priming: 20, remainder: 52, padding: 3)
    let data = SyntheticCAF.data(garbage(215))
    let info = SyntheticCAF.information([("title", "t"), ("year", "1999")])
    let variable = SyntheticCAF.variable()
    let whole = variable.bytes(
      SyntheticCAF.chunk("chan", bigEndian(101 << 16 | 2, 4) + bigEndian(0, 8)),
      SyntheticCAF.chunk("kuki", [1, 2, 3]), info, table, SyntheticCAF.chunk("free", [9, 9]), data)
    return [
      .init(testDescription: "packets", bytes: whole),
      .init(testDescription: "cut packets", bytes: Array(whole.dropLast(9))),
      .init(testDescription: "a cut table", bytes: Array(whole[..<170])),
      .init(
        testDescription: "PCM with chunks behind",
        bytes: SyntheticCAF().bytes(SyntheticCAF.data(garbage(42)), info, table, [1, 2, 3])),
      .init(
        testDescription: "PCM of unknown size",
        bytes: SyntheticCAF().bytes(SyntheticCAF.data(garbage(42), stated: -1))),
      .init(
        testDescription: "FLAC without a cookie",
        bytes: CoreAudioFormatTests.cookielessFLAC(isTableBehind: false)),
      .init(testDescription: "the table behind", bytes: variable.bytes(data, table)),
      .init(
        testDescription: "a wrong table",
        bytes: variable.bytes(SyntheticCAF.table([3, 5 << 20, 4]), data)),
      .init(
        testDescription: "variable durations",
        bytes: SyntheticCAF.variable(framesPerPacket: 0).bytes(
          SyntheticCAF.table([5, 1000, 6, 2000, 7, 3], packets: 3), SyntheticCAF.data(garbage(18)))),
    ]
  }()

  @Test("Slicing of the input does not change the result", arguments: inputs)
  func slicing(_ input: SlicingTests.Input) {
    let whole = outcome(input.bytes, .whole)
    for split in 0...input.bytes.count {
      #expect(outcome(input.bytes, .splitAt(split)) == whole, "at \(split)")
    }
    for size in [1, 7] { #expect(outcome(input.bytes, .pieces(size)) == whole) }
    for seed in 0..<20 { #expect(outcome(input.bytes, .random(seed: UInt64(seed))) == whole) }
  }
}
