// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import TestKit
import Testing

@Suite struct NextSoundTests {
  @Test(
    "Files of ffmpeg, SoX and libsndfile are read as ffmpeg's demuxer reads them",
    arguments: [
      "ffmpeg -v error -y -i in.wav -c:a pcm_s8 out.au",
      "ffmpeg -v error -y -i in.wav -c:a pcm_s16be -ac 3 out.au",
      "ffmpeg -v error -y -i in.wav -c:a pcm_s24be out.au",
      "ffmpeg -v error -y -i in.wav -c:a pcm_s32be out.au",
      "ffmpeg -v error -y -i in.wav -c:a pcm_f32be out.au",
      "ffmpeg -v error -y -i in.wav -c:a pcm_f64be out.au",
      "ffmpeg -v error -y -i in.wav -c:a pcm_alaw -ac 2 out.au",
      "ffmpeg -v error -y -i in.wav -c:a pcm_mulaw out.au",
      "sox in.wav -b 24 out.au", "sox in.wav -e mu-law out.au",
      "sndfile-convert -pcm32 in.wav out.au",
      "sndfile-convert -float32 in.wav out.snd", "sndfile-convert -alaw in.wav out.snd",
    ])
  func written(_ command: String) throws {
    let workshop = Workshop()
    try workshop.run("\(MPEGAudioOracleTests.tone(22050, 1)) && \(command)")
    let name = String(command.split(separator: " ").last ?? "")
    let recorder = try workshop.checkAgainstDemuxer(name)
    #expect(recorder.value(.fileFormat) == "NeXT")
    let bytes = try workshop.read(name)
    let whole = outcome(bytes, .whole)
    for pieces in [1, 7] { #expect(outcome(bytes, .pieces(pieces)) == whole) }
  }

  static func file(
    start: Int = 28, size: Int = 40, encoding: Int = 3, rate: Int = 8000, channels: Int = 2,
    _ content: [UInt8] = SyntheticWave.samples(40)
  ) -> [UInt8] {
    [UInt8](".snd".utf8) + [start, size, encoding, rate, channels].flatMap { bigEndian($0, 4) }
      + [UInt8](repeating: 0, count: max(0, start - 24)) + content
  }

  @Test("Each encoding has its stream description")
  func formats() throws {
    let cases: [(Int, AudioFormatID, AudioFormatFlags, UInt32)] = [
      (1, .muLaw, [], 8), (2, .linearPCM, [.signedInteger, .packed], 8),
      (3, .linearPCM, [.signedInteger, .bigEndian, .packed], 16),
      (4, .linearPCM, [.signedInteger, .bigEndian, .packed], 24),
      (5, .linearPCM, [.signedInteger, .bigEndian, .packed], 32),
      (6, .linearPCM, [.float, .bigEndian, .packed], 32),
      (7, .linearPCM, [.float, .bigEndian, .packed], 64), (27, .aLaw, [], 8),
    ]
    for (encoding, formatID, flags, bits) in cases {
      var stream = AudioFileStream()
      let (recorder, _) = parse(Self.file(encoding: encoding), with: &stream)
      let format = try stream.dataFormat
      #expect(format.formatID == formatID && format.formatFlags == flags)
      #expect(format.bitsPerChannel == bits && format.bytesPerPacket == bits / 4)
      #expect(recorder.value(.dataOffset) == "28")
      #expect(recorder.value(.bitRate) == "\(8000 * bits * 2)")
      #expect(recorder.value(.channelLayout) == "3")
    }
  }

  @Test("An unknown size runs to the end; bytes behind a known size are not sound")
  func sizes() {
    for unknown in [0, 0xFFFF_FFFF] {
      let bytes = Self.file(size: unknown) + [7]
      let (recorder, _) = parse(bytes)
      #expect(recorder.pcmFrames == 10 && recorder.skips.count == 1)
      #expect(recorder.value(.audioDataByteCount) == nil)
      #expect(
        parse(bytes, totalByteCount: 69).recorder.value(.audioDataByteCount) == "40")
    }
    #expect(parse(Self.file(size: 20)).recorder.pcmFrames == 5)
    #expect(parse(Self.file(size: 23)).recorder.pcmFrames == 5)
    #expect(parse(Self.file(size: 4000)).recorder.pcmFrames == 10)
  }

  @Test("A remark larger than memory is skipped")
  func longRemark() {
    let bytes = Self.file(start: 24 + (1 << 20))
    #expect(parse(bytes, .pieces(1000)).recorder.pcm == SyntheticWave.samples(40))
  }

  @Test("Unsupported encodings are named, and invalid headers refused")
  func refused() {
    for (encoding, name) in [(8, "fragmented"), (23, "G.721"), (25, "G.723"), (99, "99")] {
      let error = parse(Self.file(encoding: encoding)).error
      #expect(error?.code == .unsupportedDataFormat && error?.byteOffset == 12)
      #expect(error?.message.contains(name) == true)
    }
    for bad in [
      Self.file(start: 23), Self.file(rate: 0), Self.file(rate: 4_000_000), Self.file(channels: 0),
      Self.file(channels: 1025), Array(Self.file().prefix(20)), Array(Self.file().prefix(26)),
    ] {
      #expect(parse(bad).error?.code == .invalidFile)
    }
  }
}
