// SPDX-License-Identifier: MIT

import ByteSources
import OfflineOutput
import RenderCore
import TestKit
import Testing

@testable import PlayerEngine

@Suite("Decoded ahead of the callback")
struct DecodedAheadTests {
  /// Plays a list that is decoded and resampled on the thread of `place`; nil is the player's choice.
  private func play(
    _ paths: [String], at place: DecoderThread?, rate: Int, channels: Int = 2,
    quality: ResamplerQuality = .good, ringBytes: Int = 2 << 20
  ) -> OfflinePlayback {
    var configuration = PlayerConfiguration()
    configuration.decoderThread = place
    configuration.resamplerQuality = quality
    configuration.ringBytes = ringBytes
    let playback = OfflinePlayback(
      paths, rate: Double(rate), channels: channels, configuration: configuration)
    playback.run(period: 256)
    return playback
  }

  /// Returns the events about sound, in order, then the events about reading: the order between the two groups depends
  /// on the level of the ring.
  private func told(_ playback: OfflinePlayback) -> [PlayerEvent] {
    let heard = playback.events.filter {
      switch $0 {
      case .started, .packetFailed: true
      default: false
      }
    }
    let read = playback.events.filter {
      switch $0 {
      case .track, .failed, .skipped: true
      default: false
      }
    }
    return heard + read
  }

  private func expectSame(_ paths: [String], rate: Int, quality: ResamplerQuality = .good) {
    let callback = play(paths, at: .callback, rate: rate, quality: quality)
    let ahead = play(paths, at: .ahead, rate: rate, quality: quality)
    let isSame = callback.sound == ahead.sound
    #expect(isSame, "\(callback.sound[0].count) and \(ahead.sound[0].count) frames")
    #expect(told(callback) == told(ahead))
    #expect(ahead.player.control.counters.underruns == 0)
    let frames = callback.player.control.position.outputFrames
    for frame in stride(from: 0, to: frames, by: 997) {
      let (wanted, found) = (
        callback.player.timeline.position(at: frame), ahead.player.timeline.position(at: frame)
      )
      guard wanted?.track == found?.track, wanted?.nanoseconds == found?.nanoseconds else {
        Issue.record(
          "frame \(frame): \(String(describing: wanted)), not \(String(describing: found))")
        return
      }
    }
  }

  @Test(
    "A file has the same samples and events as when the callback decodes it",
    arguments: [
      "mp3-vbr2-44100-2.mp3", "mp3-cbr-22050-1.mp3", "mp3-free-44100-2.mp3", "mp3-garbage.mp3",
      "mp3-short-44100-2.mp3", "mp2-mono-48000-1.mp2", "wav-ext-s24-96000-6.wav",
      "wav-one-frame-44100-2.wav", "wav-f64-44100-2.wav",
    ], [44100, 48000])
  func files(_ name: String, _ rate: Int) {
    expectSame([Fixtures.path(name)], rate: rate)
  }

  @Test("A file of any codec that the callback decodes has them, too", arguments: [44100, 96000])
  func codecs(_ rate: Int) throws {
    for recipe in CodecRecipe.all where DecoderChoice(recipe.formatID)?.thread == .callback {
      let directory = TemporaryDirectory()
      _ = ReferenceDecoder.output(
        "sox -R -D -r \(recipe.sampleRate) -n -b 16 -c 2 '\(directory.file("whole.wav"))' "
          + "synth 1.37 sine 60-9000 gain -6")
      expectSame([recipe.encode("whole", in: directory)], rate: rate)
    }
  }

  @Test(
    "A list whose rates and channels change has the same, and one that flows through one resampler",
    arguments: ResamplerQuality.allCases, [44100, 48000])
  func lists(_ quality: ResamplerQuality, _ rate: Int) {
    let changing = [
      "mp3-short-44100-2.mp3", "mp3-mono-44100-1.mp3", "wav-one-frame-44100-2.wav",
      "wav-one-frame-44100-2.wav", "mp3-cbr-48000-2.mp3", "mp3-cbr-8000-1.mp3", "gapless-1.mp3",
      "gapless-2.mp3", "gapless-1.wav", "gapless-2.wav", "empty.mp3",
    ]
    expectSame(changing.map(Fixtures.path), rate: rate, quality: quality)
  }

  @Test("A ring that holds a tenth of a second makes no difference")
  func smallRing() {
    let paths = ["gapless-1.mp3", "gapless-2.mp3", "mp3-short-44100-2.mp3"].map(Fixtures.path)
    let whole = play(paths, at: .ahead, rate: 48000)
    let small = play(paths, at: .ahead, rate: 48000, ringBytes: 40 << 10)
    let isSame = whole.sound == small.sound
    #expect(isSame)
    #expect(told(whole) == told(small))
  }

  @Test("After a seek the sound is the one that the callback decodes", arguments: [44100, 48000])
  func seek(_ rate: Int) {
    var sounds: [[[Float]]] = []
    for place in DecoderThread.allCases {
      var configuration = PlayerConfiguration()
      configuration.decoderThread = place
      let playback = OfflinePlayback(
        [Fixtures.path("mp3-vbr2-44100-2.mp3")], rate: Double(rate), channels: 2,
        configuration: configuration)
      playback.run(period: 256, frames: rate)
      playback.player.apply(.seek(toNanoseconds: 7_654_321_000))
      while playback.player.step(mayWait: true) != .finished,
        !playback.events.contains(where: { if case .sought = $0 { true } else { false } })
      {}
      let before = playback.sound[0].count
      playback.run(period: 256)
      sounds.append(playback.sound.map { Array($0[before...]) })
      let sought = playback.events.compactMap {
        if case .sought(0, let seek) = $0 { seek.reachedNanoseconds } else { nil }
      }
      #expect(sought.count == 1 && abs(Double(sought[0]) - 7_654_321_000) < 12000)
    }
    // Up to the seek the frames are those of the old sound, and then its fade.
    let isSame = zip(sounds[0], sounds[1]).allSatisfy {
      $0.suffix(4 * rate) == $1.suffix(4 * rate)
    }
    #expect(isSame)
  }

  private func opened(
    startingWith threshold: UInt64 = 3_000_000_000, rate: Double = 48000
  ) -> OfflinePlayback {
    var configuration = PlayerConfiguration()
    configuration.startThresholdNanoseconds = threshold
    configuration.decoderThread = .ahead
    return OfflinePlayback(
      [Fixtures.path("mp3-cbr320-44100-2.mp3")], rate: rate, channels: 2,
      configuration: configuration)
  }

  /// - Returns: the buffered time when no work is left.
  private func stepped(_ player: SteppedPlayer) -> UInt64 {
    while player.step(mayWait: true) == .progressed {}
    #expect(player.state == .playing)
    #expect(player.control.counters.underruns == 0)
    return player.bufferedNanoseconds
  }

  @Test(
    "Of decoded sound 0.3 s are held before it plays, then 1.5 s, whatever the start threshold is",
    arguments: [500_000_000, 3_000_000_000] as [UInt64])
  func highWater(threshold: UInt64) {
    let playback = opened(startingWith: threshold)
    #expect((300_000_000...330_000_000).contains(stepped(playback.player)))
    // 8192 frames are the longest period.
    playback.crank(8192)
    #expect((1_500_000_000...1_540_000_000).contains(stepped(playback.player)))
  }

  @Test("The longest period finds all frames that it needs at the start", arguments: [8000, 22050])
  func longestPeriod(rate: Double) {
    let playback = opened(rate: rate)
    _ = stepped(playback.player)
    playback.crank(8192)
    let isWhole = playback.soundingFrames.allSatisfy(\.self)
    #expect(isWhole)
    _ = stepped(playback.player)
  }

  @Test("A seek before any sound plays is made at once, with the same level as after other seeks")
  func seekBeforeStart() {
    let playback = opened()
    _ = stepped(playback.player)
    playback.player.apply(.seek(toNanoseconds: 1_000_000_000))
    #expect(stepped(playback.player) > 800_000_000)
    playback.crank(256)
    #expect((1_500_000_000...1_540_000_000).contains(stepped(playback.player)))
    #expect(playback.player.timeline.position(at: 0)?.nanoseconds == 1_000_000_000)
  }
}
