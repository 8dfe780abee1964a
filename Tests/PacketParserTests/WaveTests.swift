// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import TestKit
import Testing

@Suite struct WaveTests {
  @Test("Each sample format has its stream description")
  func formats() throws {
    let cases: [(SyntheticWave, AudioFormatFlags, UInt32)] = [
      (SyntheticWave(bits: 8), .packed, 8),
      (SyntheticWave(bits: 16), [.signedInteger, .packed], 16),
      (SyntheticWave(bits: 24), [.signedInteger, .packed], 24),
      (SyntheticWave(bits: 32), [.signedInteger, .packed], 32),
      (SyntheticWave(tag: 3, bits: 32), [.float, .packed], 32),
      (SyntheticWave(tag: 3, bits: 64), [.float, .packed], 64),
      (SyntheticWave(channels: 6, bits: 24, mask: 0x3F), [.signedInteger, .packed], 24),
      (SyntheticWave(bits: 24, mask: 3, validBits: 20), [.signedInteger, .alignedHigh], 20),
      (SyntheticWave(bits: 32, mask: 3, validBits: 24), [.signedInteger, .alignedHigh], 24),
      (SyntheticWave(bits: 12, container: 2), [.signedInteger, .alignedHigh], 12),
      (SyntheticWave(tag: 3, channels: 1, bits: 32, mask: 4), [.float, .packed], 32),
    ]
    for (wave, flags, bits) in cases {
      var stream = AudioFileStream()
      let (recorder, error) = parse(wave.bytes(frames: 10), with: &stream)
      #expect(error == nil)
      let format = try stream.dataFormat
      #expect(format.formatFlags == flags)
      #expect(format.bitsPerChannel == bits)
      #expect(format.bytesPerFrame == UInt32(wave.bytesPerFrame))
      #expect(format.bytesPerPacket == UInt32(wave.bytesPerFrame))
      #expect(format.framesPerPacket == 1)
      #expect(format.channelsPerFrame == UInt32(wave.channels))
      #expect(recorder.pcm == SyntheticWave.samples(10 * wave.bytesPerFrame))
      #expect(recorder.pcmFrames == 10)
      #expect(try stream.bitRate == 48_000 * wave.bytesPerFrame * 8)
    }
  }

  @Test("Properties come in order, ready last, before the packets")
  func propertyOrder() {
    let (recorder, _) = parse(SyntheticWave().bytes(frames: 10))
    #expect(
      recorder.properties == [
        "ffmt", "dfmt", "flst", "cmap", "doff", "bcnt", "pcnt", "psze", "pkub", "brat", "redy",
      ])
    #expect(recorder.value(.fileFormat) == "WAVE")
    #expect(recorder.value(.dataOffset) == "44")
    #expect(recorder.value(.audioDataByteCount) == "40")
    #expect(recorder.value(.audioDataPacketCount) == "10")
  }

  @Test("ffmpeg's files are read back, from a file and from a pipe")
  func ffmpegFiles() throws {
    let workshop = Workshop()
    try workshop.run(MPEGAudioOracleTests.tone(44100, 2))
    for codec in ["pcm_u8", "pcm_s16le", "pcm_s24le", "pcm_s32le", "pcm_f32le", "pcm_f64le"] {
      let options = "ffmpeg -v error -y -i in.wav -c:a \(codec)"
      try workshop.run("\(options) out.wav && \(options) -f wav - > pipe.wav")
      try workshop.run("ffmpeg -v error -y -i out.wav -c:a \(codec) -f \(codec.dropFirst(4)) raw")
      let raw = try workshop.read("raw")
      let file = parse(try workshop.read("out.wav")).recorder
      #expect(file.pcm == raw, "\(codec)")
      #expect(file.skips == [])
      let pipe = parse(try workshop.read("pipe.wav")).recorder
      #expect(pipe.pcm == raw, "\(codec) through a pipe")
      #expect(pipe.value(.audioDataByteCount) == nil)
      #expect(pipe.properties.last == "redy")
    }
  }

  @Test(
    "An unknown data size runs to the end, in whole frames",
    arguments: [0, 0xFFFF_FFFF, 0x7FFF_FFFF, 0x7FFF_F000])
  func unknownSize(_ stated: Int) throws {
    for riff in [0, 0xFFFF_FFFF, 36] {
      let wave = SyntheticWave(statedDataSize: stated, statedRIFFSize: riff)
      var stream = AudioFileStream()
      let (recorder, _) = parse(wave.bytes(frames: 10) + [1, 2, 3], with: &stream)
      #expect(recorder.pcmFrames == 10)
      #expect(recorder.value(.audioDataByteCount) == nil)
      #expect(recorder.value(.audioDataPacketCount) == nil)
      #expect(recorder.skips == [.skipped(byteCount: 3, offset: 84)])
      #expect(try stream.audioDataPacketCount == 10, "known once all is parsed")
    }
  }

  @Test("A known stream length bounds an unknown or excessive data size")
  func toldLength() {
    for stated in [0, 0xFFFF_FFFF, 100_000] {
      let wave = SyntheticWave(statedDataSize: stated, statedRIFFSize: 0)
      let (recorder, _) = parse(wave.bytes(frames: 10) + [9], totalByteCount: 85)
      #expect(recorder.value(.audioDataByteCount) == "40")
      #expect(recorder.value(.audioDataPacketCount) == "10")
    }
  }

  @Test("An empty data chunk has no packets, and the bytes behind it are not sound")
  func emptyData() throws {
    let bytes = SyntheticWave(after: [("LIST", [UInt8](repeating: 7, count: 40))]).bytes(frames: 0)
    let (recorder, error) = parse(bytes)
    #expect(error?.message.contains("no playable packet") == true)
    #expect(recorder.pcmFrames == 0)
    #expect(recorder.value(.audioDataByteCount) == "0")
  }

  @Test("Chunks before and after the data are skipped, whatever their size and parity")
  func otherChunks() {
    let wave = SyntheticWave(
      before: [("LIST", garbage(3)), ("bext", garbage(602)), ("JUNK", []), ("odd ", garbage(1))],
      after: [("id3 ", garbage(77)), ("LIST", garbage(8))])
    let (recorder, error) = parse(wave.bytes(frames: 100))
    #expect(error == nil)
    #expect(recorder.pcm == SyntheticWave.samples(400))
    #expect(recorder.skips == [])
  }

  @Test("A chunk of 3 GB is skipped in slices")
  func hugeChunk() throws {
    var stream = AudioFileStream()
    var recorder = Recorder()
    let file = SyntheticWave().bytes(frames: 10)
    let size = 3_000_000_001
    try stream.parse(file.span.extracting(0..<12), listener: &recorder)
    let header = [UInt8]("huge".utf8) + littleEndian(size, 4)
    try stream.parse(header.span, listener: &recorder)
    let slice = [UInt8](repeating: 0x64, count: 1 << 24)
    var left = size + 1
    while left > 0 {
      try stream.parse(slice.span.extracting(0..<min(left, slice.count)), listener: &recorder)
      left -= min(left, slice.count)
    }
    try stream.parse(file.span.extracting(12..<file.count), listener: &recorder)
    #expect(recorder.pcmFrames == 10)
    #expect(try stream.dataOffset == Int64(size) + 1 + 8 + 44)
  }

  @Test("A mask names the speakers; a missing one or too few names none")
  func layouts() {
    func layout(_ wave: SyntheticWave) -> String? {
      parse(wave.bytes(frames: 1)).recorder.value(.channelLayout)
    }
    #expect(layout(SyntheticWave(channels: 1)) == "4")
    #expect(layout(SyntheticWave(channels: 2)) == "3")
    #expect(layout(SyntheticWave(channels: 6, mask: 0x60F)) == "\(0x60F)")
    #expect(layout(SyntheticWave(channels: 2, mask: 0x3F)) == "3")
    #expect(layout(SyntheticWave(channels: 6, mask: 0)) == nil)
    #expect(layout(SyntheticWave(channels: 6, mask: 3)) == nil)
    #expect(layout(SyntheticWave(channels: 6)) == nil)
  }

  @Test("An encoding that cannot be split into packets is refused with its name")
  func otherEncodings() {
    for (tag, name) in [
      (0x22, "TrueSpeech"), (0xFF, "AAC"), (0x161, "Windows Media"), (0x2000, "AC-3"),
      (0x674F, "Vorbis"), (0x1234, "number 4660"),
    ] {
      let error = parse(SyntheticWave(tag: tag).bytes(frames: 4)).error
      #expect(error?.code == .unsupportedDataFormat)
      #expect(error?.message.contains(name) == true)
      #expect(error?.byteOffset == 20)
    }
  }

  @Test("Data before the format, an invalid format, and a file without data are errors")
  func invalidFiles() {
    let riff = [UInt8]("RIFF".utf8) + littleEndian(100, 4) + [UInt8]("WAVE".utf8)
    let early = riff + SyntheticWave.chunk("data", garbage(40))
    #expect(parse(early).error?.code == .notOptimized)
    #expect(parse(early).error?.byteOffset == 12)
    #expect(
      parse(riff).error?.code == .unsupportedFileType || parse(riff).error?.code == .invalidFile)
    #expect(parse(riff + SyntheticWave.chunk("fmt ", garbage(10))).error?.code == .invalidFile)
    for wave in [
      SyntheticWave(channels: 0), SyntheticWave(channels: 2000), SyntheticWave(rate: 0),
      SyntheticWave(bits: 16, container: 0), SyntheticWave(bits: 40),
      SyntheticWave(bits: 0, container: 2),
      SyntheticWave(tag: 3, bits: 16), SyntheticWave(tag: 3, bits: 24, container: 4),
      SyntheticWave(bits: 16, mask: 3, validBits: 17),
    ] {
      let error = parse(wave.bytes(frames: 4)).error
      #expect(error?.code == .invalidFile || error?.code == .unsupportedDataFormat)
    }
  }

  @Test("Frames of a large slice are delivered in one call")
  func oneCall() {
    #expect(parse(SyntheticWave().bytes(frames: 100_000)).recorder.calls == 1)
  }
}
