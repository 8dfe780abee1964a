// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import TestKit
import Testing

/// WAVE files with encodings other than linear PCM.
@Suite struct WaveEncodingTests {
  @Test(
    "Files encoded by ffmpeg and SoX are split into ffmpeg's packets, block by block",
    arguments: [
      ("ffmpeg -v error -y -i in.wav -c:a adpcm_ima_wav out.wav", AudioFormatID.waveIMAADPCM, 2041),
      ("ffmpeg -v error -y -i in.wav -c:a adpcm_ms out.wav", .microsoftADPCM, 2036),
      ("ffmpeg -v error -y -i in.wav -c:a pcm_alaw out.wav", .aLaw, 1),
      ("ffmpeg -v error -y -i in.wav -c:a pcm_mulaw -ac 3 out.wav", .muLaw, 1),
      ("sox in.wav -e ima-adpcm out.wav", .waveIMAADPCM, 505),
      ("sox in.wav -e ms-adpcm out.wav", .microsoftADPCM, 1012),
      ("sox in.wav -r 8000 -e gsm-full-rate out.wav", .microsoftGSM, 320),
      ("sox in.wav -e a-law out.wav", .aLaw, 1),
      ("sndfile-convert -ima-adpcm in.wav out.wav", .waveIMAADPCM, nil),
      ("sndfile-convert -ms-adpcm in.wav out.wav", .microsoftADPCM, nil),
      ("sndfile-convert -gsm610 in.wav out.wav", .microsoftGSM, 320),
      ("sndfile-convert -ulaw in.wav out.wav", .muLaw, 1),
    ] as [(String, AudioFormatID, Int?)])
  func encoded(_ command: String, _ formatID: AudioFormatID, _ framesPerPacket: Int?) throws {
    let workshop = Workshop()
    try workshop.run("\(MPEGAudioOracleTests.tone(22050, 1)) && \(command)")
    let bytes = try workshop.read("out.wav")
    var stream = AudioFileStream()
    _ = parse(bytes, with: &stream)
    let format = try stream.dataFormat
    #expect(format.formatID == formatID)
    if let framesPerPacket { #expect(format.framesPerPacket == UInt32(framesPerPacket)) }
    // ffprobe prints the fact chunk's frames, which exclude the last block's padding.
    let isBlock = format.framesPerPacket > 1
    let frames = try stream.audioDataPacketCount * Int64(format.framesPerPacket)
    let recorder = try workshop.checkAgainstDemuxer("out.wav", frames: isBlock ? frames : nil)
    let rate =
      format.sampleRate * Double(format.bytesPerPacket) * 8 / Double(format.framesPerPacket)
    #expect(recorder.value(.bitRate) == "\(Int(rate.rounded()))")
    #expect(outcome(bytes, .pieces(7)) == outcome(bytes, .whole))
  }

  @Test(
    "A short last block is a packet with its own frame count, unless it holds no frame",
    arguments: [
      (0x11, 1, 256, 505, 4 + 8, 17), (0x11, 2, 256, 249, 8 + 8 + 7, 9), (0x11, 2, 256, 249, 8, 1),
      (0x11, 2, 256, 249, 7, 0), (0x02, 1, 256, 500, 7 + 10, 22), (0x02, 2, 256, 244, 14 + 9, 11),
      (0x02, 2, 256, 244, 13, 0), (0x31, 1, 65, 320, 40, 0),
    ])
  func shortBlock(
    _ tag: Int, _ channels: Int, _ blockBytes: Int, _ blockFrames: Int, _ rest: Int, _ frames: Int
  ) throws {
    let wave = SyntheticWave(
      tag: tag, channels: channels, bits: tag == 0x31 ? 0 : 4, container: blockBytes / channels,
      after: [("LIST", SyntheticInfo.list([("INAM", "The end")]))])
    let data = SyntheticWave.samples(3 * blockBytes + rest)
    // Either the chunk or the file ends within the block.
    var cut = wave.bytes(data: data)
    cut = Array(cut.prefix(44 + data.count))
    for bytes in [wave.bytes(data: data), cut] {
      var stream = AudioFileStream()
      let (recorder, error) = parse(bytes, with: &stream)
      #expect(error == nil)
      #expect(recorder.pcmFrames == 3)
      #expect(recorder.packetBytes == (frames > 0 ? [Array(data.suffix(rest))] : []))
      #expect(recorder.gaps == [])
      #expect(try stream.audioDataPacketCount == (frames > 0 ? 4 : 3))
      #expect(try stream.duration.frames == Int64(3 * blockFrames + frames))
      for size in [1, 7, 100] { #expect(outcome(bytes, .pieces(size)) == outcome(bytes, .whole)) }
      if frames > 0 {
        let target = try stream.seek(toPacket: 3)
        #expect(target.byteOffset == Int64(3 * blockBytes))
      }
    }
  }

  @Test("The duration comes from the blocks, whatever the fact chunk states")
  func paddedBlock() throws {
    func duration(_ fact: Int) throws -> Int64 {
      let wave = SyntheticWave(
        tag: 0x11, channels: 1, bits: 4, container: 256,
        before: [("fact", littleEndian(fact, 4))])
      var stream = AudioFileStream()
      let (recorder, _) = parse(wave.bytes(frames: 3), with: &stream)
      #expect(recorder.pcmFrames == 3)
      return try stream.duration.frames
    }
    for fact in [505 * 2 + 100, 505 * 3, 0, 505 * 2, 505 * 3 + 1, 0xFFFF_FFFF] {
      #expect(try duration(fact) == 505 * 3, "\(fact)")
    }
  }

  @Test("An extensible format is read with any length of its own, and as ambisonic sound")
  func extensible() throws {
    let wave = SyntheticWave(channels: 4, mask: 0, validBits: 16)
    let ambisonic: [UInt8] = [0, 0, 0x21, 7, 0xD3, 0x11, 0x86, 0x44, 0xC8, 0xC1, 0xCA, 0, 0, 0]
    // The format chunk's content begins at byte 20.
    func format(_ change: (inout [UInt8]) -> Void) throws -> AudioStreamBasicDescription {
      var bytes = wave.bytes(frames: 5)
      change(&bytes)
      var stream = AudioFileStream()
      let (recorder, error) = parse(bytes, with: &stream)
      #expect(error == nil)
      #expect(recorder.pcm == SyntheticWave.samples(40))
      return try stream.dataFormat
    }
    let plain = try format { _ in }
    #expect(plain.formatID == .linearPCM && plain.channelsPerFrame == 4)
    #expect(try format { $0.replaceSubrange(46..<60, with: ambisonic) } == plain)
    for size in [0, 2, 21] {
      #expect(try format { $0.replaceSubrange(36..<38, with: littleEndian(size, 2)) } == plain)
    }
    // Without an extension, the sizes define the format.
    let short = try format { bytes in
      bytes.removeSubrange(38..<60)
      bytes.replaceSubrange(16..<20, with: littleEndian(18, 4))
      bytes.replaceSubrange(36..<38, with: [0, 0])
    }
    #expect(short == plain)
    var unknown = wave.bytes(frames: 5)
    unknown[50] ^= 1
    #expect(parse(unknown).error?.code == .unsupportedDataFormat)
    let float = SyntheticWave(tag: 3, channels: 4, bits: 32, mask: 0)
    var bytes = float.bytes(frames: 5)
    bytes.replaceSubrange(46..<60, with: ambisonic)
    var stream = AudioFileStream()
    #expect(parse(bytes, with: &stream).error == nil)
    #expect(try stream.dataFormat.formatFlags.contains(.float))
  }

  @Test("MPEG audio in the data chunk is found frame by frame, up to the end of the chunk")
  func mpegAudio() throws {
    let workshop = Workshop()
    try workshop.run(MPEGAudioOracleTests.tone(44100, 1))
    for (codec, formatID, packets) in [
      ("libmp3lame -b:a 128k", ".mp3", 116), ("mp2 -b:a 192k", ".mp2", 115),
      ("libmp3lame -q:a 4", ".mp3", 116),
    ] {
      try workshop.run("ffmpeg -v error -y -i in.wav -c:a \(codec) out.wav")
      let bytes = try workshop.read("out.wav")
      let after = SyntheticWave.chunk("LIST", SyntheticInfo.list([("INAM", "The end")]))
      let whole = bytes + after
      var stream = AudioFileStream()
      let (recorder, error) = parse(whole, with: &stream)
      #expect(error == nil)
      #expect(recorder.value(.fileFormat) == "WAVE")
      #expect(try stream.dataFormat.formatID.description == formatID)
      #expect(recorder.packetCount == packets)
      #expect(recorder.packetCount == (try workshop.packetsByFFprobe("out.wav")))
      #expect(recorder.skips == [])
      #expect(try stream.infoDictionary[.title] == "The end")
      #expect(try stream.audioDataPacketCount == Int64(packets))
      // The expected duration is the fact chunk's; ffprobe computes it from the bit rate.
      let ticks = try #require(Double(try workshop.probe("out.wav")["duration_ts"] ?? ""))
      let early = Double(try durationBeforePackets(bytes))
      #expect(abs(early - ticks) < 1152)
      let target = try stream.seek(toPacket: 20)
      let offsets = recorder.packetOffsets
      let base = try stream.dataOffset
      if codec.contains("-b:a") { #expect(!target.isEstimated) }
      var again = Recorder()
      let from = Int(base + target.byteOffset)
      try stream.parse(
        whole.span.extracting(from..<whole.count), discontinuity: true, listener: &again)
      try stream.finish(listener: &again)
      #expect(again.packetOffsets.allSatisfy { offsets.contains($0) })
      #expect(again.packetOffsets.last == offsets.last)
      for pieces in [1, 7, 1000] {
        #expect(outcome(whole, .pieces(pieces)) == outcome(whole, .whole))
      }
    }
  }

  private func durationBeforePackets(_ bytes: [UInt8]) throws -> Int64 {
    var stream = AudioFileStream()
    var recorder = Recorder()
    try stream.parse(bytes.span.extracting(0..<6000), listener: &recorder)
    return try stream.duration.frames
  }

  @Test("A Xing tag in the data chunk is not a packet, and supplies the packet count")
  func xingTag() throws {
    let workshop = Workshop()
    try workshop.run("\(MPEGAudioOracleTests.tone(44100, 1)) && lame --quiet -V 4 in.wav out.mp3")
    let bare = try workshop.read("out.mp3")
    let file =
      [UInt8]("RIFF".utf8) + littleEndian(0, 4) + [UInt8]("WAVE".utf8)
      + SyntheticWave.chunk("fmt ", SyntheticWave(tag: 0x55, rate: 44100, bits: 0).format)
      + SyntheticWave.chunk("data", bare)
    var stream = AudioFileStream()
    let (recorder, error) = parse(file, with: &stream)
    #expect(error == nil)
    let (other, _) = parse(bare)
    #expect(recorder.packetCount == other.packetCount)
    #expect(recorder.value(.packetTableInfo) == other.value(.packetTableInfo))
    #expect(recorder.value(.audioDataPacketCount) == other.value(.audioDataPacketCount))
    #expect(recorder.packetOffsets == other.packetOffsets.map { $0 + 44 })
  }

  @Test("A data chunk without MPEG audio frames is an error with that reason")
  func noFrames() {
    let error = parse(SyntheticWave(tag: 0x55).bytes(frames: 500)).error
    #expect(error?.code == .invalidFile)
    #expect(error?.message.contains("no MPEG audio frames") == true)
  }

  @Test("Impossible blocks are refused")
  func badBlocks() {
    for wave in [
      SyntheticWave(tag: 0x11, channels: 2, bits: 4, container: 3),
      SyntheticWave(tag: 0x11, channels: 1, bits: 16, container: 256),
      SyntheticWave(tag: 0x02, channels: 2, bits: 4, container: 6),
      SyntheticWave(tag: 0x31, channels: 1, bits: 0, container: 64),
      SyntheticWave(tag: 0x31, channels: 2, bits: 0, container: 65),
      SyntheticWave(tag: 6, channels: 0, bits: 8),
    ] {
      #expect(parse(wave.bytes(frames: 2)).error?.code == .invalidFile)
    }
  }
}
