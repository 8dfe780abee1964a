// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import TestKit
import Testing

/// Seeks, discontinuities, and the basis of a duration.
@Suite struct SeekTests {
  /// Parses the first part of a file, seeks, and parses the rest from the seek's byte offset.
  private func packetsAfterSeek(
    _ bytes: [UInt8], parsed: Int, to packet: Int64
  ) throws -> (target: AudioFileStreamSeekTarget, recorder: Recorder) {
    var stream = AudioFileStream()
    var recorder = Recorder()
    try stream.parse(bytes.span.extracting(0..<min(parsed, bytes.count)), listener: &recorder)
    let target = try stream.seek(toPacket: packet)
    let start = min(bytes.count, Int(try stream.dataOffset + target.byteOffset))
    recorder = Recorder()
    try stream.parse(
      bytes.span.extracting(start..<bytes.count), discontinuity: true, listener: &recorder)
    try stream.finish(listener: &recorder)
    return (target, recorder)
  }

  @Test(
    "At a constant bit rate, a seek that claims to be exact is exact",
    arguments: [
      "lame --quiet -b 128 in.wav", "lame --quiet -t -b 128 in.wav",
      "lame --quiet -b 192 --resample 32 in.wav",
      "lame --quiet -t -b 56 --resample 22.05 -p in.wav",
      "twolame -b 192 in.wav", "ffmpeg -v error -y -i in.wav -c:a mp2 -b:a 192k",
    ])
  func exactSeek(_ encoder: String) throws {
    let workshop = Workshop()
    try workshop.run("\(MPEGAudioOracleTests.tone(44100, 2)) && \(encoder) out.mp2")
    let bytes = try workshop.read("out.mp2")
    let places = parse(bytes).recorder.events.compactMap { event -> (Int64, Int64)? in
      if case .packet(let index, let offset, _) = event { (index, offset) } else { nil }
    }
    var exact = 0
    for parsed in [3000, 9000, 30_000] {
      for (index, offset) in places where index % 7 == 0 {
        let (target, recorder) = try packetsAfterSeek(bytes, parsed: parsed, to: index)
        guard !target.isEstimated else {
          #expect(abs(target.byteOffset + places[0].1 - offset) <= 1)
          continue
        }
        exact += 1
        #expect(target.byteOffset + places[0].1 == offset, "packet \(index) after \(parsed)")
        guard case .packet(index, offset, _) = recorder.events.first else {
          Issue.record(
            "packet \(index) does not come first: \(String(describing: recorder.events.first))")
          return
        }
      }
    }
    #expect(exact > 20)
  }

  @Test("With a variable bit rate, the tag's table leads near the packet, marked as an estimate")
  func tableSeek() throws {
    let workshop = Workshop()
    try workshop.run("\(MPEGAudioOracleTests.tone(44100, 2)) && lame --quiet -V 3 in.wav out.mp3")
    let bytes = try workshop.read("out.mp3")
    let places = parse(bytes).recorder.packetOffsets
    for packet in [15, 30, 60, 100] {
      let (target, recorder) = try packetsAfterSeek(bytes, parsed: 3000, to: Int64(packet))
      #expect(target.isEstimated)
      let reached = places.enumerated().min {
        abs($0.element - places[0] - target.byteOffset)
          < abs($1.element - places[0] - target.byteOffset)
      }
      #expect(abs((reached?.offset ?? 0) - packet) <= 4)
      guard case .packet(let index, let offset, _) = recorder.events.first else {
        Issue.record("no packet comes first")
        return
      }
      #expect(index == Int64(packet))
      #expect(places.contains(offset), "a whole frame comes first")
      #expect(recorder.skips == [], "the broken frame before it is no loss")
    }
  }

  @Test("Without a tag, a variable bit rate is sought by the mean packet size")
  func averageSeek() throws {
    let workshop = Workshop()
    try workshop.run(
      "\(MPEGAudioOracleTests.tone(44100, 2)) && lame --quiet -t -V 3 in.wav out.mp3")
    let bytes = try workshop.read("out.mp3")
    var stream = AudioFileStream()
    var recorder = Recorder()
    try stream.parse(bytes.span.extracting(0..<min(bytes.count, 20_000)), listener: &recorder)
    let seen = try #require(recorder.packetOffsets.last) - (recorder.packetOffsets.first ?? 0)
    let target = try stream.seekTarget(packet: 100)
    #expect(target.isEstimated)
    let mean = try stream.averageBytesPerPacket
    let ahead = Double(100 - recorder.packetCount + 1)
    #expect(abs(Double(target.byteOffset - seen) - ahead * mean) < 2 * mean)
  }

  @Test("In WAVE every seek is exact")
  func waveSeek() throws {
    let wave = SyntheticWave()
    let bytes = wave.bytes(frames: 1000)
    for packet in [0, 1, 500, 999] {
      let (target, recorder) = try packetsAfterSeek(bytes, parsed: 71, to: Int64(packet))
      #expect(
        target
          == AudioFileStreamSeekTarget(
            packet: Int64(packet), byteOffset: Int64(packet) * 4, isEstimated: false))
      #expect(recorder.pcm == Array(SyntheticWave.samples(4000)[(packet * 4)...]))
    }
  }

  @Test("Packets that do not exist are refused, and all before the audio is reached")
  func refusals() throws {
    var stream = AudioFileStream()
    func code(_ packet: Int64) -> AudioFileStreamError.Code? {
      do throws(AudioFileStreamError) {
        _ = try stream.seekTarget(packet: packet)
        return nil
      } catch {
        return error.code
      }
    }
    #expect(code(0) == .dataUnavailable)
    _ = parse(SyntheticWave().bytes(frames: 10), with: &stream)
    #expect(code(-1) == .invalidPacketOffset)
    #expect(code(9) == nil)
    #expect(code(10) == .invalidPacketOffset)
    #expect(code(.max) == .invalidPacketOffset)
  }

  @Test("A stream that has ended continues only after a seek")
  func seekAfterEnd() throws {
    let bytes = SyntheticFrame.stream(8)
    var stream = AudioFileStream()
    var recorder = parse(bytes, with: &stream).recorder
    #expect(throws: AudioFileStreamError.self) {
      try stream.parse(bytes.span, listener: &recorder)
    }
    let target = try stream.seek(toPacket: 3)
    recorder = Recorder()
    try stream.parse(
      bytes.span.extracting(Int(target.byteOffset)..<bytes.count), discontinuity: true,
      listener: &recorder)
    try stream.finish(listener: &recorder)
    #expect(recorder.packetCount == 5)
  }

  @Test("Contiguous slices flagged discontinuous before the first packet still yield packets")
  func discontinuityBeforePackets() throws {
    let bytes = SyntheticFrame.stream(8)
    var stream = AudioFileStream()
    var recorder = Recorder()
    var place = 0
    while place < bytes.count {
      let end = min(place + 100, bytes.count)
      try stream.parse(
        bytes.span.extracting(place..<end), discontinuity: recorder.packetCount == 0,
        listener: &recorder)
      place = end
    }
    try stream.finish(listener: &recorder)
    #expect(recorder.packetCount == 8)
  }

  @Test("After a discontinuity the first packet is a whole frame; WAVE cannot continue")
  func discontinuity() throws {
    let bytes = SyntheticFrame.stream(20)
    let places = parse(bytes).recorder.packetOffsets
    var stream = AudioFileStream()
    var recorder = Recorder()
    try stream.parse(bytes.span.extracting(0..<2000), listener: &recorder)
    let before = recorder.packetCount
    try stream.parse(
      bytes.span.extracting(5000..<bytes.count), discontinuity: true, listener: &recorder)
    try stream.finish(listener: &recorder)
    #expect(recorder.packetCount == before + places.count { $0 >= 5000 })
    #expect(recorder.skips == [])

    var wave = AudioFileStream()
    let pcm = SyntheticWave().bytes(frames: 100)
    try wave.parse(pcm.span.extracting(0..<100), listener: &recorder)
    do throws(AudioFileStreamError) {
      try wave.parse(pcm.span.extracting(200..<300), discontinuity: true, listener: &recorder)
      Issue.record("no error")
    } catch {
      #expect(error.code == .discontinuityCantRecover)
    }
  }

  @Test("A duration states its basis")
  func durations() throws {
    let workshop = Workshop()
    try workshop.run(
      "\(MPEGAudioOracleTests.tone(44100, 2)) && lame --quiet -t -b 128 in.wav cbr.mp3 "
        + "&& lame --quiet -t -V 3 in.wav vbr.mp3")
    func duration(_ name: String) throws -> AudioFileStreamDuration {
      let bytes = try workshop.read(name)
      var stream = AudioFileStream()
      stream.tell(totalByteCount: Int64(bytes.count), tail: bytes.span)
      var recorder = Recorder()
      try stream.parse(bytes.span.extracting(0..<bytes.count / 2), listener: &recorder)
      return try stream.duration
    }
    let constant = try duration("cbr.mp3")
    #expect(constant.evidence == .constantBitRate)
    #expect(abs(constant.seconds - 3.05) < 0.02)
    let variable = try duration("vbr.mp3")
    #expect(variable.evidence == .averageOfPackets)
    #expect(!variable.isExact)
    #expect(abs(variable.seconds - 3.05) < 0.4)
    let wave = try duration("in.wav")
    #expect(wave.evidence == .byteCount)
    #expect(wave.frames == 3 * 44_100)

    var stream = AudioFileStream()
    _ = parse(try workshop.read("vbr.mp3"), with: &stream)
    #expect(try stream.duration.evidence == .packetCount, "counted to the end")
  }

  @Test("An unknown value is an error, never zero")
  func unknowns() throws {
    let stream = AudioFileStream()
    #expect(describe(stream, .fileFormat).contains("'more'"))
    #expect(describe(stream, .bitRate).contains("'more'"))
    var parsed = AudioFileStream()
    var recorder = Recorder()
    try parsed.parse(SyntheticFrame.stream(8).span, listener: &recorder)
    for property in [
      AudioFileStreamPropertyID.audioDataByteCount, .audioDataPacketCount, .maximumPacketSize,
      .packetTableInfo,
    ] { #expect(describe(parsed, property).contains("'unk?'")) }
    #expect(try parsed.bitRate == 128_000)
    #expect(try parsed.packetSizeUpperBound == 1052)
  }

  @Test("The end right after a seek delivers nothing from before the seek")
  func endBehindSeek() throws {
    let bytes = SyntheticFrame.stream(6)
    var stream = AudioFileStream()
    var recorder = Recorder()
    // The fourth frame is cut, so that a part of it is buffered.
    try stream.parse(bytes.span.extracting(0..<bytes.count - 500), listener: &recorder)
    let count = recorder.packetCount
    _ = try stream.seek(toPacket: 1)
    try stream.finish(listener: &recorder)
    #expect(recorder.packetCount == count)
    #expect(recorder.skips.isEmpty)
  }

  @Test("An impossible stream length is harmless")
  func absurdLength() throws {
    for length in [Int64.max, Int64.min, 1 << 62] {
      var stream = AudioFileStream()
      stream.tell(totalByteCount: length)
      var recorder = Recorder()
      try stream.parse(SyntheticWave().bytes(frames: 9).span, listener: &recorder)
      try stream.finish(listener: &recorder)
      #expect(recorder.pcmFrames == 9)
    }
  }
}
