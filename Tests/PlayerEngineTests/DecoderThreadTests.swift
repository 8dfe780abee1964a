// SPDX-License-Identifier: MIT

import AudioModel
import ByteSources
import RenderCore
import TestKit
import Testing

@testable import PlayerEngine

@Suite("The choice of the decoding thread")
struct DecoderThreadTests {
  /// Returns a feeder's choice for a fixture's first stream.
  private func choice(
    _ name: String, isLocal: Bool = true, at place: DecoderThread? = nil, periodFrames: Int,
    rate: Int = 48000
  ) -> DecoderChoice? {
    let source = MemorySource(Array(contents(ofFile: Fixtures.path(name))), .file)
    source.isLocal = isLocal
    let renderer = Renderer(sampleRate: Double(rate), outputChannels: 2)
    let added = renderer.addSource()
    var configuration = PlayerConfiguration()
    configuration.decoderThread = place
    let feeder = Feeder(
      feed: added.feed, opened: TrackReader(source, location: "memory"), items: [],
      configuration: .init(), buffering: configuration)
    feeder.periodFrames = periodFrames
    while feeder.feed.bufferedNanoseconds == 0 { _ = feeder.step(timeoutNanoseconds: 0) }
    defer { withExtendedLifetime(renderer) {} }
    for case .chose(0, let choice) in feeder.events {
      #expect((feeder.ahead != nil) == (choice.thread == .ahead))
      return choice
    }
    return nil
  }

  @Test(
    "is the callback for a long period, and the feeder for a short one, by the cost of a packet",
    arguments: ["mp3-cbr128-44100-2.mp3", "wav-s16-44100-2.wav", "mp2-mono-48000-1.mp2"],
    [false, true])
  func period(name: String, isLocal: Bool) throws {
    let long = try #require(choice(name, isLocal: isLocal, periodFrames: 1 << 20))
    let short = try #require(choice(name, isLocal: isLocal, periodFrames: 1))
    #expect(long.thread == .callback && short.thread == .ahead)
    for choice in [long, short] {
      guard case .measured(let packet, let period) = choice.reason else {
        Issue.record("\(choice) was not measured")
        continue
      }
      #expect(packet > 0)
      #expect(
        period == (choice == long ? (1 << 20) * 1_000_000_000 / 48000 : 1_000_000_000 / 48000))
    }
  }

  @Test("is the callback if cycles have no deadlines, and the requested one everywhere")
  func unmeasured() {
    let name = "mp3-cbr128-44100-2.mp3"
    let free = choice(name, periodFrames: 0)
    #expect(free?.thread == .callback && free?.reason == .noDeadline)
    let callback = choice(name, at: .callback, periodFrames: 1)
    #expect(callback?.thread == .callback && callback?.reason == .wanted)
    let ahead = choice(name, at: .ahead, periodFrames: 1 << 20)
    #expect(ahead?.thread == .ahead && ahead?.reason == .wanted)
  }

  @Test("changes at 5 % of the period, and later for a stream that joins the previous one")
  func limit() throws {
    var choice = try #require(DecoderChoice(.mpegLayer3))
    func place(_ nanoseconds: UInt64, after joined: DecoderThread?) -> DecoderThread {
      choice.chooseThread(
        packetNanoseconds: nanoseconds, periodNanoseconds: 1_000_000, joined: joined)
      return choice.thread
    }
    #expect(place(50_000, after: nil) == .callback && place(50_001, after: nil) == .ahead)
    #expect(place(75_000, after: .callback) == .callback)
    #expect(place(75_001, after: .callback) == .ahead)
    #expect(place(33_334, after: .ahead) == .ahead && place(33_333, after: .ahead) == .callback)
  }

  @Test("can be measured for every codec that the callback can decode, resampled or not")
  func cost() throws {
    for recipe in CodecRecipe.all where DecoderChoice(recipe.formatID)?.thread == .callback {
      let directory = TemporaryDirectory()
      _ = ReferenceDecoder.output(
        "sox -R -D -r \(recipe.sampleRate) -n -b 16 -c 2 '\(directory.file("whole.wav"))' "
          + "synth 1.37 sine 60-9000 gain -6")
      let reader = try TrackReader(opening: recipe.encode("whole", in: directory))
      while reader.output.packets.first == nil {
        guard try reader.step(timeoutNanoseconds: 1_000_000_000) != .ended else { break }
      }
      let first = try #require(reader.output.packets.first)
      let stream = try #require(first.startsStream)
      var cost = PacketCost(quality: .best)
      let same = try cost.nanoseconds(
        stream, reader.output.packets, outputRate: Int(stream.format.sampleRate))
      let other = try cost.nanoseconds(stream, reader.output.packets, outputRate: 37_000)
      #expect(same > 0 && other > 0, "\(recipe): \(same) and \(other) ns")
    }
  }

  /// Plays a file at its own rate, and changes the period after each second.
  private func play(_ periods: [Int], pausesFirst: Bool = false) -> OfflinePlayback {
    let playback = OfflinePlayback(
      [Fixtures.path("mp3-vbr2-44100-2.mp3")], rate: 44100, channels: 2)
    for (index, period) in periods.enumerated() {
      playback.renderer.context.periodFrames = period
      if index == periods.count - 1 { break }
      playback.run(period: 256, frames: (index + 1) * 44100)
    }
    if pausesFirst {
      playback.player.apply(.pause)
      for _ in 0..<40 {
        _ = playback.player.step(mayWait: true)
        playback.crank(256)
      }
      playback.player.apply(.resume)
    }
    playback.run(period: 256)
    return playback
  }

  @Test(
    "changes with the period while a file plays: the sound goes on with the next frame",
    arguments: [[1 << 20, 1], [1, 1 << 20], [1 << 20, 1, 1 << 20]], [false, true])
  func change(_ periods: [Int], isPaused: Bool) throws {
    let steady = play([1 << 20])
    let changed = play(periods, pausesFirst: isPaused)
    #expect(steady.sound[0].count == changed.sound[0].count)
    let choice = try #require(changed.player.decoders[0])
    #expect(choice.thread == (periods.last == 1 ? .ahead : .callback))
    #expect(changed.player.control.counters.underruns == 0)
    #expect(changed.events.allSatisfy { if case .sought = $0 { false } else { true } })
    // Each change fades out and in, which takes 5 ms each.
    let fades = (periods.count - 1 + (isPaused ? 1 : 0)) * 2 * 222
    let different = zip(steady.sound[0], changed.sound[0]).count { abs($0 - $1) > 1e-6 }
    #expect(different <= fades, "\(different) frames differ")
  }

  @Test("changes back before the sound has faded out, and the sound continues")
  func bounce() {
    let playback = OfflinePlayback(
      [Fixtures.path("mp3-vbr2-44100-2.mp3")], rate: 44100, channels: 2)
    playback.renderer.context.periodFrames = 1 << 20
    playback.run(period: 256, frames: 44100)
    for cycles in 0..<4 {
      playback.renderer.context.periodFrames = 1
      for _ in 0..<cycles {
        _ = playback.player.step(mayWait: true)
        playback.crank(64)
      }
      _ = playback.player.step(mayWait: true)
      playback.renderer.context.periodFrames = 1 << 20
      playback.run(period: 256, frames: playback.samples[0].count + 22050)
      #expect(playback.player.control.mode == .play && !playback.player.control.isSilent)
    }
    playback.run(period: 256)
    #expect(playback.sound[0].count == play([1 << 20]).sound[0].count)
    #expect(playback.player.state == .ended)
  }

  @Test("changes in the middle of fast forward, which goes on")
  func scan() {
    let playback = OfflinePlayback(
      [Fixtures.path("mp3-vbr2-44100-2.mp3")], rate: 44100, channels: 2)
    playback.renderer.context.periodFrames = 1 << 20
    playback.run(period: 256, frames: 44100)
    playback.renderer.context.periodFrames = 1
    _ = playback.player.step(mayWait: true)
    playback.player.apply(.scan(speed: 4))
    _ = playback.player.step(mayWait: true)
    #expect(playback.player.control.mode == .play)
    playback.run(period: 256)
    #expect(playback.player.state == .ended)
  }

  @Test(
    "is chosen again for a track that was read ahead with the period before",
    .enabled(if: DecoderChoice(.mpeg4AAC) != nil))
  func nextTrack() throws {
    // Only one thread can decode the first track, so the change does not lead back into it.
    let workshop = Workshop()
    try workshop.run(
      "ffmpeg -nostdin -v error -f lavfi -i 'sine=300:r=44100:d=2' -ac 2 -c:a aac x.m4a")
    let paths = [workshop.path("x.m4a"), Fixtures.path("mp3-vbr2-44100-2.mp3")]
    var sounds: [[[Float]]] = []
    for second in [1 << 20, 1] {
      let playback = OfflinePlayback(paths, rate: 44100, channels: 2)
      playback.renderer.context.periodFrames = 1 << 20
      while playback.player.decoders[1] == nil {
        _ = playback.player.step(mayWait: true)
        if playback.player.state == .playing { playback.crank(256) }
      }
      #expect(playback.player.startedTrack == 0)
      playback.renderer.context.periodFrames = second
      playback.run(period: 256)
      #expect(playback.player.decoders[1]?.thread == (second == 1 ? .ahead : .callback))
      sounds.append(playback.sound)
    }
    #expect(sounds[0][0].count == sounds[1][0].count)
  }

  @Test("does not change while a network stream plays")
  func network() {
    let source = MemorySource(
      Array(contents(ofFile: Fixtures.path("mp3-vbr2-44100-2.mp3"))), .server(offersRanges: true))
    let playback = OfflinePlayback(
      opened: TrackReader(source, location: "memory"), [], rate: 44100, channels: 2)
    playback.renderer.context.periodFrames = 1 << 20
    playback.run(period: 256, frames: 44100)
    let before = source.repositions.count
    playback.renderer.context.periodFrames = 1
    playback.run(period: 256)
    #expect(playback.player.decoders[0]?.thread == .callback)
    #expect(source.repositions.count == before)
    #expect(playback.sound[0].count == play([1 << 20]).sound[0].count)
  }

  @Test("does not change if the period changes and the source cannot be read again")
  func pipe() throws {
    let source = MemorySource(Array(contents(ofFile: Fixtures.path("mp3-vbr2-44100-2.mp3"))), .pipe)
    let playback = OfflinePlayback(
      opened: TrackReader(source, location: "memory"), [], rate: 44100, channels: 2)
    playback.renderer.context.periodFrames = 1 << 20
    playback.run(period: 256, frames: 44100)
    playback.renderer.context.periodFrames = 1
    playback.run(period: 256)
    #expect(playback.player.decoders[0]?.thread == .callback)
    let sound = play([1 << 20]).sound
    let isSame = sound == playback.sound
    #expect(isSame)
    #expect(playback.events.allSatisfy { if case .seekFailed = $0 { false } else { true } })
  }
}
