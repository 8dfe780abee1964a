// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import TestKit
import Testing

@Suite struct AIFFTests {
  @Test(
    "Files of ffmpeg, SoX and libsndfile are read as ffmpeg's demuxer reads them",
    arguments: [
      "ffmpeg -v error -y -i in.wav -c:a pcm_s8 out.aiff",
      "ffmpeg -v error -y -i in.wav -c:a pcm_s16be out.aiff",
      "ffmpeg -v error -y -i in.wav -c:a pcm_s16le out.aifc",
      "ffmpeg -v error -y -i in.wav -c:a pcm_s24be -ac 6 out.aiff",
      "ffmpeg -v error -y -i in.wav -c:a pcm_s32be out.aiff",
      "ffmpeg -v error -y -i in.wav -c:a pcm_f32be out.aiff",
      "ffmpeg -v error -y -i in.wav -c:a pcm_f64be out.aiff",
      "ffmpeg -v error -y -i in.wav -c:a pcm_alaw out.aiff",
      "ffmpeg -v error -y -i in.wav -c:a pcm_mulaw out.aiff",
      "ffmpeg -v error -y -i in.wav -c:a adpcm_ima_qt -ac 2 out.aiff",
      "sox in.wav -b 24 out.aiff", "sox in.wav -b 8 out.aifc", "sox in.wav -b 32 out.aifc",
      "sndfile-convert -pcmu8 in.wav out.aif", "sndfile-convert -pcm24 in.wav out.aif",
      "sndfile-convert -float64 in.wav out.aif", "sndfile-convert -alaw in.wav out.aif",
      "sndfile-convert -endian=little -pcm16 in.wav out.aif",
    ])
  func written(_ command: String) throws {
    let workshop = Workshop()
    try workshop.run("\(MPEGAudioOracleTests.tone(22050, 1)) && \(command)")
    let name = String(command.split(separator: " ").last ?? "")
    try workshop.checkAgainstDemuxer(name)
    let bytes = try workshop.read(name)
    let whole = outcome(bytes, .whole)
    for pieces in [1, 7] { #expect(outcome(bytes, .pieces(pieces)) == whole) }
  }

  @Test(
    "Little-endian samples of 24 and 32 bits, which ffmpeg does not know, are read as libsndfile reads them"
  )
  func littleEndianSamples() throws {
    let workshop = Workshop()
    try workshop.run("\(MPEGAudioOracleTests.tone(22050, 1))")
    for bits in [24, 32] {
      try workshop.run(
        "sndfile-convert -endian=little -pcm\(bits) in.wav out.aif && "
          + "sndfile-convert -pcm\(bits) out.aif back.wav")
      let ours = parse(try workshop.read("out.aif")).recorder
      let theirs = parse(try workshop.read("back.wav")).recorder
      #expect(ours.pcmFrames > 0 && ours.pcm == theirs.pcm)
    }
  }

  @Test("GSM in AIFF-C has as many frames as libsndfile reports (ffprobe takes frames for packets)")
  func gsm() throws {
    let workshop = Workshop()
    try workshop.run(
      "\(MPEGAudioOracleTests.tone(8000, 1)) && sndfile-convert -gsm610 in.wav out.aif")
    try workshop.checkAgainstDemuxer("out.aif", frames: 24_000)
  }

  @Test("Each compression type has its stream description")
  func formats() throws {
    let cases: [(String?, Int, AudioFormatFlags, UInt32)] = [
      (nil, 16, [.signedInteger, .bigEndian, .packed], 16),
      (nil, 8, [.signedInteger, .packed], 8), (nil, 5, [.signedInteger, .alignedHigh], 5),
      (nil, 12, [.signedInteger, .bigEndian, .alignedHigh], 12),
      (nil, 20, [.signedInteger, .bigEndian, .alignedHigh], 20),
      ("NONE", 24, [.signedInteger, .bigEndian, .packed], 24),
      ("twos", 32, [.signedInteger, .bigEndian, .packed], 32),
      ("sowt", 16, [.signedInteger, .packed], 16), ("sowt", 24, [.signedInteger, .packed], 24),
      ("in24", 24, [.signedInteger, .bigEndian, .packed], 24),
      ("in32", 32, [.signedInteger, .bigEndian, .packed], 32),
      ("42ni", 24, [.signedInteger, .packed], 24), ("23ni", 32, [.signedInteger, .packed], 32),
      ("fl32", 32, [.float, .bigEndian, .packed], 32),
      ("FL32", 16, [.float, .bigEndian, .packed], 32),
      ("fl64", 64, [.float, .bigEndian, .packed], 64), ("raw ", 8, .packed, 8),
    ]
    for (compression, bits, flags, expected) in cases {
      let size = Int(expected + 7) / 8 * 2
      let file = SyntheticAIFF(compression: compression, bits: bits, bytesPerPacket: size)
      var stream = AudioFileStream()
      let (recorder, error) = parse(file.bytes(packets: 10), with: &stream)
      #expect(error == nil)
      let format = try stream.dataFormat
      #expect(format.formatFlags == flags, "\(compression ?? "AIFF") \(bits)")
      #expect(format.bitsPerChannel == expected)
      #expect(format.bytesPerFrame == UInt32(size) && format.framesPerPacket == 1)
      #expect(recorder.pcm == SyntheticWave.samples(10 * size))
      #expect(try stream.bitRate == 44_100 * size * 8)
      #expect(recorder.value(.fileFormat) == (compression == nil ? "AIFF" : "AIFC"))
    }
  }

  @Test("A sampling rate need not be a whole number")
  func rates() throws {
    // The Macintosh's 22254.5454 Hz, 8000 Hz and 11025 Hz.
    for (bytes, rate) in [
      ([0x40, 0x0D, 0xAD, 0xDD, 0x17, 0x45, 0xD1, 0x74, 0x5D, 0x17], 22254.0 + 6.0 / 11),
      ([0x40, 0x0B, 0xFA, 0, 0, 0, 0, 0, 0, 0], 8000),
      ([0x40, 0x0C, 0xAC, 0x44, 0, 0, 0, 0, 0, 0], 11025),
    ] as [([UInt8], Double)] {
      var stream = AudioFileStream()
      _ = parse(SyntheticAIFF(rate: bytes).bytes(packets: 2), with: &stream)
      #expect(abs(try stream.dataFormat.sampleRate - rate) < 1e-6)
    }
    for bad in [
      [0x40, 0x0E, 0x2C, 0x44, 0, 0, 0, 0, 0, 0], [0xC0, 0x0E, 0xAC, 0x44, 0, 0, 0, 0, 0, 0],
      [0x7F, 0xFF, 0xAC, 0x44, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
      [0x40, 0x1E, 0xAC, 0x44, 0, 0, 0, 0, 0, 0], [0x3F, 0xF0, 0xAC, 0x44, 0, 0, 0, 0, 0, 0],
    ] as [[UInt8]] {
      #expect(parse(SyntheticAIFF(rate: bad).bytes(packets: 2)).error?.code == .invalidFile)
    }
  }

  @Test("Sound begins behind the chunk's offset and ends after the stated frames")
  func soundChunk() throws {
    var file = SyntheticAIFF(offset: 6)
    var (recorder, _) = parse(file.bytes(packets: 10))
    #expect(recorder.pcm == SyntheticWave.samples(40))
    #expect(recorder.value(.dataOffset) == "\(12 + 26 + 16 + 6)")
    // Filled up to a block.
    file.statedFrames = 10
    recorder = parse(file.bytes(packets: 10, more: garbage(100))).recorder
    #expect(recorder.pcmFrames == 10 && recorder.value(.audioDataPacketCount) == "10")
    // The header states more frames than the file has.
    file.statedFrames = 1000
    #expect(parse(file.bytes(packets: 10)).recorder.value(.audioDataPacketCount) == "10")
    file = SyntheticAIFF(compression: "ima4", bytesPerPacket: 68, statedFrames: 3)
    var stream = AudioFileStream()
    _ = parse(file.bytes(packets: 3), with: &stream)
    #expect(try stream.duration.frames == 192)
    file.statedFrames = 150
    stream = AudioFileStream()
    _ = parse(file.bytes(packets: 3), with: &stream)
    #expect(try stream.duration.frames == 192, "a program counted frames; all of the packets plays")
    for (size, offset) in [(4, 0), (30, 100), (8, 0xFFFF)] {
      var wrong = SyntheticAIFF(statedSoundSize: size)
      wrong.offset = offset
      #expect(parse(wrong.bytes(packets: 4)).error?.code == .invalidFile)
    }
  }

  @Test("An unknown size runs to the end", arguments: [0, 0xFFFF_FFFF, 0x7F00_0008])
  func unknownSize(_ stated: Int) {
    let file = SyntheticAIFF(statedFrames: 0, statedSoundSize: stated)
    let bytes = file.bytes(packets: 10) + [1, 2, 3]
    let (recorder, error) = parse(bytes)
    #expect(error == nil)
    #expect(recorder.pcmFrames == 10)
    #expect(recorder.value(.audioDataByteCount) == nil)
    #expect(recorder.skips.count == 1)
    let told = parse(bytes, totalByteCount: Int64(bytes.count)).recorder
    #expect(told.value(.audioDataByteCount) == "40")
  }

  @Test("Sound before its format is played where the source can go back")
  func soundFirst() {
    var file = SyntheticAIFF(compression: "sowt", offset: 3, hasSoundFirst: true)
    file.after = [("NAME", [UInt8]("Backwards".utf8))]
    let bytes = file.bytes(packets: 50)
    #expect(parse(bytes).error?.code == .notOptimized)
    for slice in [1, 7, 1 << 20] {
      let (recorder, error) = parseAnywhere(bytes, slice: slice)
      #expect(error == nil)
      #expect(recorder.pcm == SyntheticWave.samples(200))
    }
  }

  @Test("A CHAN chunk assigns channels to speakers")
  func layouts() throws {
    func labels(_ chunk: [UInt8], channels: Int = 3) throws -> [UInt32]? {
      var file = SyntheticAIFF(
        compression: "twos", channels: channels, bytesPerPacket: 2 * channels)
      file.before = [("CHAN", chunk)]
      var stream = AudioFileStream()
      _ = parse(file.bytes(packets: 3), with: &stream)
      return try? stream.channelLayout.labels
    }
    func header(_ tag: Int, _ bitmap: Int = 0, _ count: Int = 0) -> [UInt8] {
      bigEndian(tag, 4) + bigEndian(bitmap, 4) + bigEndian(count, 4)
    }
    #expect(try labels(header(114 << 16 | 3)) == [3, 1, 2])
    #expect(try labels(header(0x10000, 0x103)) == [1, 2, 9])
    let described = [2, 1, 4].flatMap { bigEndian($0, 4) + [UInt8](repeating: 0, count: 16) }
    #expect(try labels(header(0, 0, 3) + described) == [2, 1, 4])
    #expect(try labels(header(0, 0, 4) + described) == nil, "cut")
    #expect(try labels(header(0x10000, 0x3)) == nil, "not as many as there are channels")
    #expect(try labels(header(0x10000, 0x7), channels: 2) == [1, 2], "the usual stereo")
    let workshop = Workshop()
    try workshop.run(
      "ffmpeg -v error -y -f lavfi -i anullsrc=cl=5.1:r=8000 -t 0.1 -c:a pcm_s16le out.aifc")
    var stream = AudioFileStream()
    _ = parse(try workshop.read("out.aifc"), with: &stream)
    #expect(try stream.channelLayout.bitmap?.rawValue == 0x3F)
  }

  @Test("Unsupported encodings are refused with their name")
  func refused() {
    for (type, name) in [
      ("MAC3", "MACE"), ("QDM2", "QDesign"), ("xyz?", "'xyz?'"), ("\u{1}abc", "61"),
    ] {
      let error = parse(SyntheticAIFF(compression: type).bytes(packets: 3)).error
      #expect(error?.code == .unsupportedDataFormat)
      #expect(error?.message.contains(name) == true, "\(error?.message ?? "none")")
    }
    #expect(parse(SyntheticAIFF(bits: 40).bytes(packets: 3)).error?.code == .unsupportedDataFormat)
    #expect(
      parse(SyntheticAIFF(compression: "raw ", bits: 16).bytes(packets: 3)).error?.code
        == .unsupportedDataFormat)
    #expect(parse(SyntheticAIFF(channels: 0).bytes(packets: 3)).error?.code == .invalidFile)
    #expect(parse(SyntheticAIFF(channels: 1025).bytes(packets: 3)).error?.code == .invalidFile)
  }

  @Test("A file cut anywhere delivers its whole packets, or the error reports an early end")
  func cuts() {
    let bytes = SyntheticAIFF(before: [("NAME", [UInt8]("abc".utf8))]).bytes(packets: 10)
    for count in 12..<bytes.count {
      let cut = Array(bytes[..<count])
      let (recorder, error) = parse(cut)
      let start = bytes.count - 40
      // A file without a whole packet cannot be played.
      if count >= start + 4 {
        #expect(error == nil && recorder.pcmFrames == Int64((count - start) / 4))
        #expect(recorder.skips.isEmpty == ((count - start) % 4 == 0))
      } else {
        #expect(error?.code == .invalidFile)
      }
      #expect(outcome(cut, .pieces(1)) == outcome(cut, .whole))
    }
  }
}
