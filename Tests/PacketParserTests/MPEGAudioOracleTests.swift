// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import Testing

/// Files of every encoder at hand: what the parser finds is what mpg123 decodes.
@Suite struct MPEGAudioOracleTests {
  struct Recipe: Sendable, CustomTestStringConvertible {
    var command: String
    var testDescription: String { command }

    init(_ command: String) { self.command = command }
  }

  /// Noise and a tone that changes, so that variable bit rates vary.
  static func tone(_ rate: Int, _ channels: Int) -> String {
    """
    ffmpeg -v error -y -f lavfi -i "aevalsrc='0.4*sin(440*t*(1+t)*6.28)*lt(mod(t\\,1)\\,0.6)\
    +0.1*random(0)*gt(mod(t\\,1)\\,0.3)':s=\(rate):d=3" -ac \(channels) in.wav
    """
  }

  static let lame: [Recipe] = [8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000].flatMap
  { rate in
    [
      Recipe("\(tone(rate, 2)) && lame --quiet --resample \(rate) -b 64 in.wav out.mp3"),
      Recipe("\(tone(rate, 1)) && lame --quiet --resample \(rate) -m m -V 5 in.wav out.mp3"),
      Recipe("\(tone(rate, 2)) && lame --quiet --resample \(rate) -t -p -b 56 in.wav out.mp3"),
      Recipe("\(tone(rate, 2)) && lame --quiet --resample \(rate) -p --abr 48 in.wav out.mp3"),
      Recipe("\(tone(rate, 1)) && lame --quiet --resample \(rate) -p -t -V 2 in.wav out.mp3"),
      Recipe("\(tone(rate, 2)) && lame --quiet --resample \(rate) --freeformat -b 100 in.wav out.mp3"),
      Recipe("\(tone(rate, 1)) && lame --quiet --resample \(rate) -t --freeformat -b 31 in.wav out.mp3"),
    ]
  }

  static let others: [Recipe] =
    [16000, 22050, 24000, 32000, 44100, 48000].flatMap { rate in
      [
        Recipe("\(tone(rate, 2)) && twolame -b 160 in.wav out.mp3"),
        Recipe("\(tone(rate, 1)) && twolame -b 64 -p in.wav out.mp3"),
        Recipe("\(tone(rate, 2)) && twolame --vbr in.wav out.mp3"),
        Recipe("\(tone(rate, 2)) && ffmpeg -v error -y -i in.wav -c:a mp2 -b:a 128k -f mp2 out.mp3"),
        Recipe("\(tone(rate, 2)) && ffmpeg -v error -y -i in.wav -c:a libmp3lame -b:a 96k out.mp3"),
        Recipe("\(tone(rate, 1)) && ffmpeg -v error -y -i in.wav -c:a libmp3lame -q:a 3 -write_apetag 1 out.mp3"),
      ]
    } + [
      Recipe("\(tone(44100, 2)) && lame --quiet -b 320 in.wav out.mp3"),
      Recipe("\(tone(44100, 2)) && lame --quiet -b 640 --freeformat in.wav out.mp3"),
      Recipe("\(tone(44100, 2)) && lame --quiet -V 0 --add-id3v2 --tt title --ta me in.wav out.mp3"),
      Recipe("\(tone(44100, 2)) && lame --quiet -m s -b 128 --id3v1-only --tt title in.wav out.mp3"),
      Recipe("\(tone(44100, 2)) && lame --quiet -m d -b 128 in.wav out.mp3"),
    ]

  @Test("As many packets are found as mpg123 decodes frames", arguments: lame + others)
  func packetsAreMPG123sFrames(_ recipe: Recipe) throws {
    let workshop = try Workshop()
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
    if !recipe.command.contains("freeformat") {
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
