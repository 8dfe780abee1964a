// SPDX-License-Identifier: MIT

import ByteSources
import OfflineOutput
import RenderCore
import TestKit
import Testing

@testable import PlayerEngine

/// Files whose samples are their own frame numbers, so that each sample identifies its frame.
@Suite("Seeking in the player")
struct PlayerSeekTests {
  private static let rate = 44100
  private static let fade = OfflinePlayback.fadeFrames

  /// Makes a WAVE file whose sample n, as 24 bits, is n plus the given number.
  private func makeCounting(
    _ name: String, seconds: Int, from first: Int = 0, in directory: TemporaryDirectory
  ) throws -> String {
    let path = directory.file(name)
    var writer = try WaveFileWriter(path: path, sampleRate: Self.rate, channels: 1)
    let samples = (0..<seconds * Self.rate).map { Float(first + $0) / Float(1 << 23) }
    try writer.write(interleaved: samples.span)
    try writer.close()
    return path
  }

  private func number(_ sample: Float) -> Int { Int((sample * Float(1 << 23)).rounded()) }

  private func start(
    _ locations: [String], ringBytes: Int = 256 << 10, period: Int = 64
  ) -> OfflinePlayback {
    var configuration = PlayerConfiguration()
    configuration.ringBytes = ringBytes
    configuration.startThresholdNanoseconds = 300_000_000
    let playback = OfflinePlayback(
      locations, rate: Double(Self.rate), channels: 1, configuration: configuration)
    while playback.player.state != .playing { _ = playback.player.step(mayWait: true) }
    for _ in 0..<10 { playback.crank(period) }
    return playback
  }

  /// Returns the frame numbers of the sounding samples from an index of the recording on.
  private func numbers(_ playback: OfflinePlayback, from index: Int) -> [Int] {
    zip(playback.samples[0][index...], playback.soundingFrames[index...])
      .compactMap { $1 ? number($0) : nil }
  }

  private func lastSeek(_ playback: OfflinePlayback) -> PlayerSeek? {
    for event in playback.events.reversed() {
      if case .sought(_, let seek) = event { return seek }
    }
    return nil
  }

  private static func isSought(_ event: PlayerEvent) -> Bool {
    if case .sought = event { true } else { false }
  }

  @Test("Three hundred seeks reach the exact frame each, and the position is right at once")
  func manySeeks() throws {
    let directory = TemporaryDirectory()
    let seconds = 60
    let path = try makeCounting("count.wav", seconds: seconds, in: directory)
    let playback = start([path])
    var random = SplitMix(state: 5)
    for _ in 0..<300 {
      let frame = Int.random(in: 0..<(seconds - 1) * Self.rate, using: &random)
      let nanoseconds = UInt64((Double(frame) * 1e9 / Double(Self.rate)).rounded())
      let before = playback.events.count
      playback.player.apply(.seek(toNanoseconds: nanoseconds))
      #expect(playback.player.shownPosition.nanoseconds == nanoseconds)
      // The old sound continues, period by period, until the player changes to the new one.
      while !playback.events[before...].contains(where: Self.isSought) {
        _ = playback.player.step(mayWait: true)
        playback.crank(64)
      }
      let here = playback.samples[0].count
      let position = playback.player.shownPosition
      #expect(position.nanoseconds / 1000 == nanoseconds / 1000)
      // The old sound fades out; then the new one begins with the requested frame, and fades in.
      for _ in 0..<12 {
        _ = playback.player.step(mayWait: false)
        playback.crank(64)
      }
      let heard = numbers(playback, from: here)
      let start = try #require(heard.lastIndex(of: frame + Self.fade)) - Self.fade
      #expect((0...Self.fade).contains(start))
      #expect(
        heard[(start + Self.fade)...].elementsEqual(
          frame + Self.fade..<frame + heard.count - start))
      #expect(lastSeek(playback)?.isEstimated == false)
      let place = try #require(
        playback.player.timeline.position(at: playback.player.control.position.outputFrames))
      let expected = Double(frame + heard.count - start) * 1e9 / Double(Self.rate)
      #expect(abs(Double(place.nanoseconds) - expected) < 1000)
    }
    #expect(playback.player.control.counters.underruns == 0)
  }

  @Test("A seek while paused shows its position, stays silent, and sounds from there on")
  func paused() throws {
    let directory = TemporaryDirectory()
    let playback = start([try makeCounting("count.wav", seconds: 20, in: directory)])
    playback.player.apply(.pause)
    for _ in 0..<20 { playback.crank(64) }
    playback.player.apply(.seek(toNanoseconds: 10_000_000_000))
    let here = playback.samples[0].count
    for _ in 0..<50 {
      _ = playback.player.step(mayWait: true)
      playback.crank(64)
    }
    #expect(playback.player.state == .paused)
    #expect(playback.soundingFrames[here...].allSatisfy { !$0 })
    #expect(playback.player.shownPosition.nanoseconds == 10_000_000_000)
    playback.player.apply(.resume)
    for _ in 0..<50 {
      _ = playback.player.step(mayWait: true)
      playback.crank(64)
    }
    let heard = numbers(playback, from: here)
    #expect(heard.count > 1000)
    #expect(
      heard.dropFirst(Self.fade).elementsEqual(441_000 + Self.fade..<441_000 + heard.count))
  }

  @Test("A seek in the current track reaches its frame also if the feeder is tracks ahead")
  func behindTheFeeder() throws {
    let directory = TemporaryDirectory()
    let paths = try (0..<5).map {
      try makeCounting("\($0).wav", seconds: 2, from: $0 << 20, in: directory)
    }
    let playback = start(paths, ringBytes: 4 << 20)
    while !playback.player.feeder.isFinished { _ = playback.player.step(mayWait: true) }
    playback.player.apply(.seek(toNanoseconds: 1_000_000_000))
    while playback.player.seek != nil { _ = playback.player.step(mayWait: true) }
    let here = playback.samples[0].count
    playback.run(period: 64)
    #expect(playback.states.last == .ended)
    let heard = numbers(playback, from: here)
    let expected = (44100 + Self.fade..<88200) + (1..<5).flatMap { ($0 << 20)..<($0 << 20) + 88200 }
    #expect(Array(heard.suffix(expected.count)) == Array(expected))
  }

  @Test(
    "A seek back in spooled live sound reaches the frame also behind a lost head",
    arguments: [0, 11, 30, 43])
  func behindALostHead(_ lostBytes: Int) throws {
    let directory = TemporaryDirectory()
    let file = contents(ofFile: try makeCounting("a.wav", seconds: 20, in: directory))
    let source = MemorySource(Array(file[..<lostBytes]) + file, .pipe)
    source.discontinuities = lostBytes > 0 ? [lostBytes] : []
    source.keepsFrom = lostBytes
    let playback = OfflinePlayback(
      opened: TrackReader(source, location: "memory"), [], rate: Double(Self.rate), channels: 1)
    while playback.player.state != .playing { _ = playback.player.step(mayWait: true) }
    while playback.samples[0].count < 10 * Self.rate {
      _ = playback.player.step(mayWait: false)
      playback.crank(64)
    }
    for frame in [2 * Self.rate, 441] {
      let nanoseconds = UInt64(frame) * 1_000_000_000 / UInt64(Self.rate)
      playback.player.apply(.seek(toNanoseconds: nanoseconds))
      while playback.player.seek != nil { _ = playback.player.step(mayWait: true) }
      let here = playback.samples[0].count
      for _ in 0..<200 {
        _ = playback.player.step(mayWait: false)
        playback.crank(64)
      }
      #expect(lastSeek(playback)?.reachedNanoseconds == nanoseconds)
      let heard = numbers(playback, from: here)
      let start = try #require(heard.lastIndex(of: frame + Self.fade)) - Self.fade
      #expect((0...Self.fade).contains(start) && heard.count > 1000)
      #expect(
        heard[(start + Self.fade)...].elementsEqual(
          frame + Self.fade..<frame + heard.count - start))
    }
  }

  @Test("A second seek behind the end, before the next track plays, leads there as well")
  func twiceBehindTheEnd() throws {
    let directory = TemporaryDirectory()
    let paths = try (0..<2).map {
      try makeCounting("\($0).wav", seconds: 20, from: $0 << 20, in: directory)
    }
    let playback = start(paths)
    for _ in 0..<2 {
      playback.player.apply(.seekBy(nanoseconds: 25_000_000_000))
      while playback.player.seek != nil { _ = playback.player.step(mayWait: true) }
    }
    let here = playback.samples[0].count
    for _ in 0..<1000 {
      _ = playback.player.step(mayWait: false)
      playback.crank(64)
    }
    let heard = numbers(playback, from: here).drop { $0 < 1 << 20 }
    // The next track may have begun already, and then begins again.
    #expect(heard.count > 44100 && heard.allSatisfy { $0 < (1 << 20) + heard.count })
    #expect(heard.suffix(10_000).elementsEqual(heard.last! - 9_999...heard.last!))
    #expect(lastSeek(playback)?.reachedNanoseconds == 20_000_000_000)
  }

  @Test("A seek behind the end continues with the next track")
  func behindTheEnd() throws {
    let directory = TemporaryDirectory()
    let paths = try (0..<2).map {
      try makeCounting("\($0).wav", seconds: 2, from: $0 << 20, in: directory)
    }
    let playback = start(paths)
    playback.player.apply(.seekBy(nanoseconds: 3_600_000_000_000))
    while playback.player.seek != nil { _ = playback.player.step(mayWait: true) }
    #expect(lastSeek(playback)?.reachedNanoseconds == 2_000_000_000)
    let here = playback.samples[0].count
    playback.run(period: 64)
    let heard = numbers(playback, from: here).drop { $0 < 1 << 20 }
    #expect(heard.elementsEqual((1 << 20)..<(1 << 20) + 88200))
    #expect(playback.states.last == .ended)
  }

  @Test("Seeks in quick succession add up, and only the last one is answered")
  func together() throws {
    let directory = TemporaryDirectory()
    let playback = start([try makeCounting("count.wav", seconds: 60, in: directory)])
    playback.player.apply(.seek(toNanoseconds: 10_000_000_000))
    for _ in 0..<4 { playback.player.apply(.seekBy(nanoseconds: 5_000_000_000)) }
    playback.player.apply(.seekBy(nanoseconds: -1_000_000_000))
    while playback.player.seek != nil { _ = playback.player.step(mayWait: true) }
    #expect(lastSeek(playback)?.askedNanoseconds == 29_000_000_000)
    #expect(playback.events.count(where: Self.isSought) == 1)
  }

  @Test("A seek beyond all time leads to the end, whatever seeks follow it")
  func beyond() throws {
    let directory = TemporaryDirectory()
    let playback = start([try makeCounting("count.wav", seconds: 2, in: directory)])
    playback.player.apply(.seek(toNanoseconds: .max))
    playback.player.apply(.seekBy(nanoseconds: 1))
    for _ in 0..<100 { playback.player.apply(.seekBy(nanoseconds: .max)) }
    while playback.player.seek != nil { _ = playback.player.step(mayWait: true) }
    #expect(lastSeek(playback)?.reachedNanoseconds == 2_000_000_000)
    playback.run(period: 64)
    #expect(playback.states.last == .ended)
  }

  @Test(
    "Seeks from beyond the end of the last track end it, or lead back into it", arguments: 0..<8)
  func fromBeyond(_ gap: Int) throws {
    let directory = TemporaryDirectory()
    let playback = start([try makeCounting("count.wav", seconds: 2, in: directory)])
    func seek(byNanoseconds difference: Int64) {
      playback.player.apply(.seekBy(nanoseconds: difference))
      for _ in 0..<gap {
        _ = playback.player.step(mayWait: false)
        if gap % 2 == 1 { playback.crank(64) }
      }
    }
    for _ in 0..<4 { seek(byNanoseconds: 5_000_000_000) }
    let isBack = playback.player.state == .playing
    if isBack { seek(byNanoseconds: -21_000_000_000) }
    playback.run(period: 64, waits: false, frames: 10 * 44100)
    #expect(playback.states.last == .ended)
    if isBack { #expect(numbers(playback, from: 0).last == 88199) }
  }

  @Test("Seeks in quick succession, with a full ring, cause no underrun")
  func closely() {
    var configuration = PlayerConfiguration()
    configuration.ringBytes = 64 << 10
    let playback = OfflinePlayback(
      [Fixtures.path("mp3-cbr320-44100-2.mp3")], rate: 44100, channels: 2,
      configuration: configuration)
    while playback.player.state != .playing || playback.player.lastStep != .waitingForRing {
      _ = playback.player.step(mayWait: true)
    }
    for gap in 0..<40 {
      playback.player.apply(.seek(toNanoseconds: gap % 2 == 0 ? 2_000_000_000 : 7_000_000_000))
      for _ in 0..<gap {
        _ = playback.player.step(mayWait: false)
        playback.crank(64)
      }
      playback.player.apply(.seekBy(nanoseconds: 1_000_000_000))
      for _ in 0..<200 {
        _ = playback.player.step(mayWait: false)
        playback.crank(64)
      }
    }
    #expect(playback.player.control.counters.underruns == 0)
    #expect(playback.events.count(where: Self.isSought) >= 40)
  }

  @Test("If a server offers no ranges, a seek back is refused, and the sound continues")
  func refused() throws {
    let directory = TemporaryDirectory()
    let path = try makeCounting("count.wav", seconds: 20, in: directory)
    let server = LoopbackHTTPServer()
    defer { server.stop() }
    var plan = ResponsePlan.file(path)
    plan.fields.append(("Accept-Ranges", "none"))
    server.serve("/count.wav", plan)
    let playback = start([server.url("/count.wav")])
    playback.player.apply(.seek(toNanoseconds: 0))
    playback.run(period: 64)
    let errors = playback.events.compactMap {
      if case .seekFailed(0, let error) = $0 { error.reason } else { nil }
    }
    guard case .source(let error)? = errors.first else {
      Issue.record("the seek was not refused")
      return
    }
    #expect(error.reason == .notRepositionable)
    #expect(numbers(playback, from: 0).elementsEqual(0..<20 * Self.rate))
  }

  @Test("Next, previous and a track by its number begin at the first frame, without an underrun")
  func skips() throws {
    let directory = TemporaryDirectory()
    let paths = try (0..<4).map {
      try makeCounting("\($0).wav", seconds: 5, from: $0 << 20, in: directory)
    }
    let playback = start(paths)
    func go(_ command: SteppedPlayer.Command, leadsTo track: Int) throws {
      let here = playback.samples[0].count
      playback.player.apply(command)
      #expect(playback.player.shownPosition == (track, 0))
      for _ in 0..<60 {
        while playback.player.step(mayWait: false) == .progressed {}
        playback.crank(64)
      }
      let heard = numbers(playback, from: here)
      // Samples that fade out before it may have the same number.
      let start = try #require(heard.lastIndex(of: track << 20))
      #expect(heard[start...].elementsEqual((track << 20)..<(track << 20) + heard.count - start))
      #expect(playback.player.shownPosition.nanoseconds < 200_000_000)
    }
    try go(.track(2), leadsTo: 2)
    try go(.previous, leadsTo: 1)
    try go(.next, leadsTo: 2)
    while playback.player.shownPosition.nanoseconds < 3_500_000_000 {
      _ = playback.player.step(mayWait: false)
      playback.crank(64)
    }
    try go(.previous, leadsTo: 2)
    // The skip is not audible yet.
    playback.player.apply(.next)
    try go(.restart, leadsTo: 3)
    try go(.previous, leadsTo: 2)
    playback.player.apply(.setRepeat(.all))
    try go(.next, leadsTo: 3)
    try go(.next, leadsTo: 0)
    #expect(playback.player.control.counters.underruns == 0)
  }

  @Test("A repeated list and a repeated track restart without a gap", arguments: [1, 2])
  func repeats(_ tracks: Int) throws {
    let directory = TemporaryDirectory()
    let paths = try (0..<2).map {
      try makeCounting("\($0).wav", seconds: 1, from: $0 << 20, in: directory)
    }
    let playback = start(paths)
    playback.player.apply(.setRepeat(tracks == 1 ? .one : .all))
    playback.run(period: 64, frames: 5 * Self.rate)
    let heard = numbers(playback, from: 0)
    let round = (0..<tracks).flatMap { ($0 << 20)..<($0 << 20) + Self.rate }
    let expected = Array(repeatElement(round, count: 6).joined())
    #expect(heard == Array(expected.prefix(heard.count)))
    #expect(heard.count >= 5 * Self.rate - 64)
  }

  @Test("A track that is added after all others were read follows them")
  func added() throws {
    let directory = TemporaryDirectory()
    let paths = try (0..<2).map {
      try makeCounting("\($0).wav", seconds: 1, from: $0 << 20, in: directory)
    }
    let playback = start([paths[0]])
    while !playback.player.feeder.isFinished { _ = playback.player.step(mayWait: true) }
    playback.player.apply(.append([PlaylistItem(location: paths[1])]))
    playback.run(period: 64)
    let expected = Array(0..<Self.rate) + Array(1 << 20..<1 << 20 + Self.rate)
    let isWhole = numbers(playback, from: 0) == expected
    #expect(isWhole)
    #expect(playback.player.control.counters.underruns == 0)
  }

  @Test("A track that was opened beforehand is opened again by the same URL, with its password")
  func openedBeforehand() throws {
    let directory = TemporaryDirectory()
    let path = try makeCounting("count.wav", seconds: 1, in: directory)
    let server = LoopbackHTTPServer()
    defer { server.stop() }
    server.serve("/count.wav", .file(path))
    let location = server.url("/count.wav").replacing("http://", with: "http://name:secret@")
    let playback = OfflinePlayback(
      opened: try TrackReader(opening: location), [], rate: Double(Self.rate), channels: 1)
    playback.player.apply(.setRepeat(.one))
    playback.run(period: 64, frames: 3 * Self.rate)
    let requests = server.requests
    #expect(requests.count >= 3)
    #expect(requests.allSatisfy { $0.fields["authorization"] != nil })
  }

  @Test("The player knows whether a track is seekable as soon as it plays")
  func canSeek() throws {
    let directory = TemporaryDirectory()
    let paths = try (0..<3).map { try makeCounting("\($0).wav", seconds: 1, in: directory) }
    let playback = OfflinePlayback(paths, rate: Double(Self.rate), channels: 1)
    for track in 0..<3 {
      playback.run(period: 64, frames: Self.rate / 2 + track * Self.rate)
      let canSeek = try #require(playback.player.canSeek)
      #expect(canSeek.track == track && canSeek.isPossible)
    }
  }

  @Test(
    "A track's source is closed once it is out of reach, also if the caller keeps its reader"
  )
  func letsGo() throws {
    let directory = TemporaryDirectory()
    let paths = try (0..<3).map { try makeCounting("\($0).wav", seconds: 8, in: directory) }
    let source = MemorySource(contents(ofFile: paths[0]), .file)
    let reader = TrackReader(source, location: paths[0])
    let playback = OfflinePlayback(opened: reader, paths, rate: Double(Self.rate), channels: 1)
    playback.run(period: 64, frames: Self.rate / 2)
    #expect(!source.isClosed)
    playback.run(period: 64)
    #expect(playback.states.last == .ended && source.isClosed)
    withExtendedLifetime(reader) {}
  }

  @Test(
    "A repeated list or track without playable sound ends, and each failure is reported once",
    arguments: [(RepeatMode.all, 2), (.one, 1), (.off, 2)])
  func repeatedFailures(_ mode: RepeatMode, _ failures: Int) {
    let playback = OfflinePlayback(
      ["/nowhere/1.wav", "/nowhere/2.wav"], rate: 44100, channels: 1)
    playback.player.apply(.setRepeat(mode))
    playback.run(period: 64)
    #expect(playback.states.last == .failed)
    #expect(playback.events.count { if case .failed = $0 { true } else { false } } == failures)
  }
}
