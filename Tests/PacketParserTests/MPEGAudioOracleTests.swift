// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import TestKit
import Testing

/// Files of every installed encoder: the parser finds the frames that mpg123 decodes.
@Suite struct MPEGAudioOracleTests {
  /// A sound and the command that encodes it.
  struct Recipe: Sendable, CustomTestStringConvertible {
    var rate: Int
    var channels: Int
    var encoder: String

    var testDescription: String { "\(encoder) at \(rate) Hz from \(channels) channels" }
    var command: String { "\(tone(rate, channels)) && \(encoder) in.wav out.mp3" }
    var isFreeFormat: Bool { encoder.contains("freeformat") }

    init(_ rate: Int, _ channels: Int, _ encoder: String) {
      self.rate = rate
      self.channels = channels
      self.encoder = encoder
    }
  }

  /// Noise and a changing tone, so that variable bit rates vary.
  static func tone(_ rate: Int, _ channels: Int) -> String {
    """
    ffmpeg -v error -y -f lavfi -i "aevalsrc='0.4*sin(440*t*(1+t)*6.28)*lt(mod(t\\,1)\\,0.6)\
    +0.1*random(0)*gt(mod(t\\,1)\\,0.3)':s=\(rate):d=3" -ac \(channels) in.wav
    """
  }

  static let lame: [Recipe] =
    [8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000].flatMap { rate in
      let lame = "lame --quiet --resample \(rate)"
      return [
        Recipe(rate, 2, "\(lame) -b 64"),
        Recipe(rate, 1, "\(lame) -m m -V 5"),
        Recipe(rate, 2, "\(lame) -t -p -b 56"),
        Recipe(rate, 2, "\(lame) -p --abr 48"),
        Recipe(rate, 1, "\(lame) -p -t -V 2"),
        Recipe(rate, 2, "\(lame) --freeformat -b 100"),
        Recipe(rate, 1, "\(lame) -t --freeformat -b 31"),
      ]
    } + [
      Recipe(44100, 2, "lame --quiet -b 320"),
      Recipe(44100, 2, "lame --quiet -b 640 --freeformat"),
      Recipe(44100, 2, "lame --quiet -V 0 --add-id3v2 --tt title --ta me"),
      Recipe(44100, 2, "lame --quiet -m s -b 128 --id3v1-only --tt title"),
      Recipe(44100, 2, "lame --quiet -m d -b 128"),
    ]

  static let others: [Recipe] =
    [16000, 22050, 24000, 32000, 44100, 48000].flatMap { rate in
      [
        Recipe(rate, 2, "twolame -b 160"),
        Recipe(rate, 1, "twolame -b 64 -p"),
        Recipe(rate, 2, "twolame --vbr"),
        Recipe(rate, 2, "f() { ffmpeg -v error -y -i $1 -c:a mp2 -b:a 128k -f mp2 $2; }; f"),
        Recipe(rate, 2, "f() { ffmpeg -v error -y -i $1 -c:a libmp3lame -b:a 96k $2; }; f"),
        Recipe(rate, 1, "f() { ffmpeg -v error -y -i $1 -q:a 3 -write_apetag 1 $2; }; f"),
      ]
    }

  @Test("The packet count equals the number of frames in mpg123", arguments: lame + others)
  func packetsAreMPG123sFrames(_ recipe: Recipe) throws {
    let workshop = Workshop()
    try workshop.run(recipe.command)
    let bytes = try workshop.read("out.mp3")
    let (recorder, error) = parse(bytes)
    #expect(error == nil)
    #expect(recorder.failures == [])
    #expect(recorder.skips == [])
    var stream = AudioFileStream()
    _ = parse(bytes, with: &stream)
    let framesPerPacket = Int(try stream.dataFormat.framesPerPacket)
    let decoded = try workshop.framesByMPG123("out.mp3", gapless: false)
    #expect(recorder.packetCount * framesPerPacket == decoded)
    if !recipe.isFreeFormat {
      #expect(recorder.packetCount == (try workshop.packetsByFFprobe("out.mp3")))
    }
    if let table = try? stream.packetTableInfo {
      let trimmed = try workshop.framesByMPG123("out.mp3", gapless: true)
      #expect(table.numberValidFrames == Int64(trimmed))
    }
    if let stated = recorder.value(.audioDataPacketCount) {
      #expect(stated == "\(recorder.packetCount)")
    }
  }
}
