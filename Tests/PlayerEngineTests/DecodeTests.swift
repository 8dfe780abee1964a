// SPDX-License-Identifier: MIT

import AudioModel
import PlayerEngine
import TestKit
import Testing

@Suite("Decoding against other tools")
struct DecodeTests {
  private func render(_ name: String, period: Int) throws -> [Float] {
    try render(path: Fixtures.path(name), period: period)
  }

  private func render(path: String, period: Int) throws -> [Float] {
    let format = try TrackReader(opening: path).readInformation().dataFormat
    let playback = OfflinePlayback(
      [path], rate: format.sampleRate, channels: Int(format.channelsPerFrame))
    playback.run(period: period)
    #expect(playback.states.last == .ended)
    return playback.sound.interleaved
  }

  @Test(
    "Every MPEG audio fixture has mpg123's frames, sample for sample",
    arguments: Fixtures.mpegAudio)
  func mpegAudio(_ name: String) throws {
    let expected = ReferenceDecoder.mpg123(Fixtures.path(name))
    let rendered = try render(name, period: 1024)
    #expect(rendered.count == expected.count)
    #expect(rendered == expected)
  }

  @Test(
    "Every linear PCM fixture has ffmpeg's frames, sample for sample",
    arguments: Fixtures.linearPCM)
  func linearPCM(_ name: String) throws {
    let expected = ReferenceDecoder.ffmpeg(Fixtures.path(name))
    let rendered = try render(name, period: 1024)
    #expect(rendered.count == expected.count)
    #expect(rendered == expected)
  }

  @Test("FLAC that ffmpeg put into a Core Audio file has ffmpeg's frames, sample for sample")
  func flacInCoreAudioFile() throws {
    let directory = TemporaryDirectory()
    let path = directory.file("out.caf")
    _ = ReferenceDecoder.output(
      "cd '\(directory.path)'; sox -R -D -V1 -n -r 44100 -b 16 in.wav synth 20 pinknoise gain -3; "
        + "ffmpeg -v error -y -i in.wav -c:a flac out.caf </dev/null")
    let expected = ReferenceDecoder.ffmpeg(path)
    #expect(expected.count == 20 * 44_100)
    let isSame = try render(path: path, period: 1024) == expected
    #expect(isSame)
    let information = try TrackReader(opening: path).readInformation()
    #expect(information.durationNanoseconds == 20_000_000_000)
  }

  @Test("A fragmented stream with an edit list begins where the same packets do in one piece")
  func editListOfFragments() throws {
    let directory = TemporaryDirectory()
    let whole = directory.file("whole.m4a")
    let fragmented = directory.file("fragmented.mp4")
    _ = ReferenceDecoder.output(
      "cd '\(directory.path)'; ffmpeg -v error -y -f lavfi "
        + "-i 'aevalsrc=0.4*sin(440*t*(1+t)*6.28):d=3:s=44100' -c:a aac whole.m4a </dev/null; "
        + "ffmpeg -v error -y -i whole.m4a -c copy -movflags +frag_keyframe+delay_moov "
        + "-frag_duration 500000 fragmented.mp4 </dev/null")
    let expected = try render(path: whole, period: 1024)
    let rendered = try render(path: fragmented, period: 1024)
    #expect(expected.count == 3 * 44_100)
    let isSame = rendered.starts(with: expected)
    #expect(isSame)
    #expect(rendered.count - expected.count < 1024, "only the last packet's padding is more")
    let sought = try TrackReader(opening: fragmented).seek(toFrame: 50_000)
    #expect(sought.reachedFrame == 50_000)
  }

  @Test("The period makes no difference to the samples", arguments: [1, 16, 64, 100, 1024, 8192])
  func periods(_ period: Int) throws {
    let name = "mp3-vbr2-44100-2.mp3"
    #expect(try render(name, period: period) == ReferenceDecoder.mpg123(Fixtures.path(name)))
  }

  @Test("Junk between frames changes only the frames whose bit reservoir it cut")
  func garbage() throws {
    let name = "mp3-garbage.mp3"
    let expected = ReferenceDecoder.mpg123(Fixtures.path(name))
    let rendered = try render(name, period: 1024)
    #expect(rendered.count == expected.count)
    let different = zip(rendered, expected).count { $0 != $1 }
    // mpg123 drops its reservoir at junk, so it mutes up to 3 frames that Drawbar decodes.
    #expect(different <= 3 * 1152 * 2)
  }

  @Test("Two concatenated tagged files sound as mpg123 decodes them")
  func concatenated() throws {
    let directory = TemporaryDirectory()
    let path = directory.file("both.mp3")
    let parts = ["gapless-1.mp3", "gapless-2.mp3"].map { "'\(Fixtures.path($0))'" }
    _ = ReferenceDecoder.output("cat \(parts.joined(separator: " ")) > '\(path)'")
    let playback = OfflinePlayback([path], rate: 44100, channels: 2)
    playback.run(period: 1024)
    let expected = ReferenceDecoder.mpg123(path)
    #expect(expected.count > 2 * 352_800)
    #expect(playback.sound.interleaved == expected)
  }
}
