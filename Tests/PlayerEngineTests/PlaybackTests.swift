// SPDX-License-Identifier: MIT

import PlayerEngine
import RenderCore
import TestKit
import Testing

@Suite("Playback")
struct PlaybackTests {
  private let music = Fixtures.path("mp3-cbr128-44100-2.mp3")

  private var fastStart: PlayerConfiguration {
    var configuration = PlayerConfiguration()
    configuration.startThresholdNanoseconds = 200_000_000
    return configuration
  }

  @Test("Two tracks of one rate are joined without a gap, sample for sample")
  func gaplessJoin() {
    let tracks = ["gapless-1.mp3", "gapless-2.mp3"].map(Fixtures.path)
    let playback = OfflinePlayback(tracks, rate: 44100, channels: 2)
    playback.run(period: 256)
    #expect(playback.sound.interleaved == tracks.flatMap(ReferenceDecoder.mpg123))
    // One run of sound: no silence between the first and the last sounding frame.
    let runs = zip([false] + playback.soundingFrames, playback.soundingFrames)
      .count { !$0 && $1 }
    #expect(runs == 1)
  }

  @Test("Two tracks of one rate are joined through one resampler, to the frame")
  func gaplessResampledJoin() {
    let tracks = ["gapless-1.wav", "gapless-2.wav"].map(Fixtures.path)
    let joined = OfflinePlayback(tracks, rate: 48000, channels: 2)
    joined.run(period: 256)
    let whole = OfflinePlayback([Fixtures.path("gapless.wav")], rate: 48000, channels: 2)
    whole.run(period: 256)
    #expect(joined.sound[0].count == 384_000)
    #expect(joined.sound == whole.sound)
  }

  @Test("A track of another rate follows after the first one's tail")
  func rateChange() {
    let tracks = ["mp3-cbr-22050-1.mp3", "wav-s16-48000-1.wav"].map(Fixtures.path)
    let playback = OfflinePlayback(tracks, rate: 44100, channels: 2)
    playback.run(period: 512)
    #expect(playback.states.last == .ended)
    // 264600 frames at 22050 Hz and 576000 at 48000 Hz, each resampled whole.
    #expect(playback.sound[0].count == 529_200 + 529_200)
    #expect(playback.sound[0] == playback.sound[1])
  }

  @Test("A server slower than the sound leads to underruns, and no frame is lost or repeated")
  func throttledServer() {
    let server = LoopbackHTTPServer()
    defer { server.stop() }
    var plan = ResponsePlan.file(music)
    plan.bytesPerSecond = 100_000
    server.serve("/music.mp3", plan)
    let playback = OfflinePlayback(
      [server.url("/music.mp3")], rate: 44100, channels: 2, configuration: fastStart)
    playback.run(period: 512, waits: false)
    #expect(playback.player.control.counters.underruns > 0)
    #expect(playback.states.contains(.buffering))
    #expect(playback.states.last == .ended)
    let isWhole = playback.isWhole(ReferenceDecoder.mpg123(music))
    #expect(isWhole)
  }

  @Test("Sound received before a connection broke is played, then the failure is reported")
  func brokenConnection() {
    let server = LoopbackHTTPServer()
    defer { server.stop() }
    var plan = ResponsePlan.file(music)
    plan.fault = .finish(afterBytes: 60_000)
    server.serve("/music.mp3", plan)
    let playback = OfflinePlayback([server.url("/music.mp3")], rate: 44100, channels: 2)
    playback.run(period: 512)
    let whole = ReferenceDecoder.mpg123(music)
    let sound = playback.sound.interleaved
    // 60,000 bytes at 128 kbit/s are 3.75 s, less the tag frame and the cut one.
    #expect(sound.count > 2 * 160_000)
    #expect(sound[...] == whole[..<sound.count])
    #expect(playback.states.last == .failed)
    let errors = playback.events.compactMap {
      if case .failed(0, let error) = $0 { "\(error)" } else { nil }
    }
    #expect(errors.count == 1)
    #expect(errors.first?.contains(server.url("/music.mp3")) == true)
  }

  @Test("A track that cannot be opened is reported, and the next one plays")
  func missingTrack() {
    let playback = OfflinePlayback(["/nowhere/at.mp3", music], rate: 44100, channels: 2)
    playback.run(period: 512)
    #expect(playback.states.last == .ended)
    #expect(playback.sound.interleaved == ReferenceDecoder.mpg123(music))
    #expect(playback.events.contains { if case .failed(0, _) = $0 { true } else { false } })
  }

  @Test("A pause fades within 5 ms and a resume continues with the next frame")
  func pauseAndResume() {
    let playback = OfflinePlayback([music], rate: 44100, channels: 2)
    while playback.player.state != .playing || !playback.player.isBufferReady {
      _ = playback.player.step(mayWait: true)
    }
    for _ in 0..<100 { playback.crank(64) }
    playback.player.apply(.pause)
    for _ in 0..<20 { playback.crank(64) }
    #expect(playback.player.control.isSilent)
    let pausedAt = playback.player.control.position.outputFrames
    #expect(pausedAt <= 6400 + 241)
    playback.player.apply(.resume)
    playback.run(period: 64)
    let sound = playback.sound.interleaved
    let whole = ReferenceDecoder.mpg123(music)
    #expect(sound.count == whole.count)
    // Only the two ramps differ from the plain decode, and there the sound is quieter, never louder.
    let different = sound.indices.filter { sound[$0] != whole[$0] }
    #expect(different.allSatisfy { abs(sound[$0]) <= abs(whole[$0]) })
    let first = different.first ?? 0
    let last = different.last ?? 0
    #expect(first >= 2 * 6400 && last < 2 * (6400 + 2 * 241))
  }

  @Test("Skipping fades the old track and plays the next one from its first frame")
  func skip() {
    let next = Fixtures.path("gapless-2.mp3")
    let playback = OfflinePlayback([music, next], rate: 44100, channels: 2)
    while playback.player.state != .playing { _ = playback.player.step(mayWait: true) }
    for _ in 0..<100 { playback.crank(64) }
    playback.player.apply(.next)
    playback.run(period: 64, waits: false)
    #expect(playback.states.last == .ended)
    let sound = playback.sound.interleaved
    let expected = ReferenceDecoder.mpg123(next)
    #expect(sound.count < expected.count + 2 * 6400 + 2 * 300)
    #expect(sound.suffix(expected.count) == expected[...])
    #expect(playback.player.control.counters.stalePackets > 0)
  }

  @Test("A skip leads to the track after the one that plays, however far ahead the feeder is")
  func skipWhenAllIsFed() {
    let tracks = [music, Fixtures.path("gapless-1.mp3"), Fixtures.path("gapless-2.mp3")]
    let playback = OfflinePlayback(tracks, rate: 44100, channels: 2)
    // No cycle runs until every track is in the ring.
    while case .progressed = playback.player.step(mayWait: true) {}
    playback.crank(4410)
    _ = playback.player.step(mayWait: true)
    playback.player.apply(.next)
    playback.run(period: 64, waits: false)
    let expected = tracks[1...].flatMap(ReferenceDecoder.mpg123)
    #expect(playback.sound.interleaved.suffix(expected.count) == expected[...])
    #expect(playback.sound.interleaved.count < expected.count + 2 * (4410 + 300))
  }

  @Test("The position counts sound and not silence")
  func position() {
    let playback = OfflinePlayback([music], rate: 48000, channels: 2)
    playback.crank(4800)
    #expect(playback.player.control.position.outputFrames == 0)
    while playback.player.state != .playing { _ = playback.player.step(mayWait: true) }
    playback.crank(4800)
    #expect(playback.player.control.position.outputFrames == 4800)
    playback.player.apply(.pause)
    for _ in 0..<10 { playback.crank(480) }
    let paused = playback.player.control.position
    #expect(paused.outputFrames <= 4800 + 241)
    #expect(paused.trailingSilentFrames >= 4800 - 480)
  }

  @Test("With a volume of 0 the track plays on in silence")
  func mute() {
    let playback = OfflinePlayback([music], rate: 44100, channels: 2)
    playback.player.control.volume = 0
    playback.run(period: 1024)
    #expect(playback.states.last == .ended)
    #expect(playback.sound[0].count == 529_200)
    #expect(playback.sound[0].dropFirst(241).allSatisfy { $0 == 0 })
  }

  @Test("Every volume is limited to its range", arguments: [Float.infinity, .nan, 1e38, -1])
  func anyVolume(_ volume: Float) {
    let playback = OfflinePlayback([music], rate: 44100, channels: 2)
    playback.player.control.volume = volume
    #expect((0...SourceControl.maximumVolume).contains(playback.player.control.volume))
    while playback.player.state != .playing { _ = playback.player.step(mayWait: true) }
    playback.crank(8192)
    playback.player.apply(.pause)
    for _ in 0..<20 { playback.crank(64) }
    #expect(playback.player.control.isSilent)
    #expect(playback.player.control.position.outputFrames <= 8192 + 1200)
  }

  @Test("A stop fades and ends in idle")
  func stop() {
    let playback = OfflinePlayback([music], rate: 44100, channels: 2)
    while playback.player.state != .playing { _ = playback.player.step(mayWait: true) }
    playback.crank(512)
    playback.player.apply(.stop)
    playback.run(period: 64, waits: false)
    #expect(playback.states.last == .idle)
  }

  @Test("A stop whose fade is not rendered ends in idle, too, and with the track's account")
  func stopWithoutOutput() {
    let playback = OfflinePlayback([music], rate: 44100, channels: 2)
    while playback.player.state != .playing { _ = playback.player.step(mayWait: true) }
    playback.crank(512)
    playback.player.apply(.stop)
    let hasEnded = eventually {
      playback.player.step(mayWait: true) == .finished
    }
    #expect(hasEnded && playback.states.last == .idle)
    let accounts = playback.events.count { if case .account = $0 { true } else { false } }
    #expect(accounts == 1)
  }

  @Test("A stop before the first sound ends in idle without a sound, whenever it comes")
  func stopBeforeSound() {
    var steps = 0
    while true {
      let playback = OfflinePlayback([music], rate: 44100, channels: 2)
      for _ in 0..<steps { _ = playback.player.step(mayWait: true) }
      if playback.player.state == .playing { break }
      playback.player.apply(.stop)
      playback.crank(64)
      playback.run(period: 64, waits: false)
      #expect(playback.states.last == .idle, "after \(steps) steps")
      #expect(playback.player.control.position.outputFrames == 0, "after \(steps) steps")
      steps += 1
    }
    #expect(steps > 2)
  }
}
