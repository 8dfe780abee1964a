// SPDX-License-Identifier: MIT

import AudioModel
import ByteSources
import OfflineOutput
import RenderCore
import TestKit
import Testing

@testable import PlayerEngine

@Suite("Buffering")
struct BufferingTests {
  private let music = Fixtures.path("mp3-cbr128-44100-2.mp3")

  private func playback(
    _ source: MemorySource, _ change: (inout PlayerConfiguration) -> Void
  ) -> OfflinePlayback {
    var configuration = PlayerConfiguration()
    configuration.startThresholdNanoseconds = 200_000_000
    configuration.rebufferThresholdNanoseconds = 200_000_000
    change(&configuration)
    return OfflinePlayback(
      opened: TrackReader(source, location: "memory"), [], rate: 44100, channels: 2,
      configuration: configuration)
  }

  /// Renders a cycle for each step until the player is in a state.
  private func crank(_ playback: OfflinePlayback, until state: PlayerState) {
    for _ in 0..<20_000 where playback.player.state != state {
      _ = playback.player.step(mayWait: false)
      playback.crank(256)
    }
    #expect(playback.player.state == state)
  }

  private func bytes() -> [UInt8] { contents(ofFile: music) }

  /// Plays the first 6400 frames of a track that another one follows.
  private func playing(
    before next: MemorySource, _ change: (inout PlayerConfiguration) -> Void
  ) -> OfflinePlayback {
    let playback = playback(MemorySource(bytes(), .pipe), change)
    var item = PlaylistItem(location: "memory")
    item.source = next
    playback.player.apply(.append([item]))
    crank(playback, until: .playing)
    for _ in 0..<100 { playback.crank(64) }
    return playback
  }

  @Test("An underrun reports its cause", arguments: [true, false])
  func cause(isLocal: Bool) throws {
    let source = MemorySource(bytes(), .pipe)
    source.isLocal = isLocal
    source.comesUpTo = 20_000
    let playback = playback(source) { _ in }
    crank(playback, until: .playing)
    #expect(playback.player.buffering.waitsFor == nil)
    crank(playback, until: .buffering)
    _ = playback.player.step(mayWait: false)
    let expected = isLocal ? StallCause.disk : .network
    #expect(playback.events.contains(.underrun(expected)))
    #expect(playback.player.buffering.waitsFor == expected)
    #expect(playback.player.buffering.lastStallCause == expected)
    #expect(playback.player.buffering.stallCount == 1)
    source.comesUpTo = 40_000
    crank(playback, until: .playing)
    #expect(playback.player.buffering.waitsFor == nil)
    crank(playback, until: .buffering)
    #expect(playback.player.buffering.stallCount == 2)
  }

  @Test("After an underrun sound starts once the rebuffer threshold is reached, not before")
  func rebuffer() throws {
    let source = MemorySource(bytes(), .pipe)
    source.comesUpTo = 20_000
    let playback = playback(source) { $0.rebufferThresholdNanoseconds = 2_000_000_000 }
    crank(playback, until: .playing)
    crank(playback, until: .buffering)
    // The sound takes 16,000 bytes a second.
    source.comesUpTo = 20_000 + 28_000
    for _ in 0..<2000 { _ = playback.player.step(mayWait: false) }
    #expect(playback.player.state == .buffering)
    source.comesUpTo = 20_000 + 36_000
    crank(playback, until: .playing)
  }

  @Test("After a skip sound starts once the new track reaches the start threshold, not before")
  func skip() throws {
    let second = MemorySource(bytes(), .pipe)
    second.comesUpTo = 0
    let playback = playing(before: second) { $0.startThresholdNanoseconds = 2_000_000_000 }
    try #require(playback.player.bufferedNanoseconds > 2_000_000_000)
    playback.player.apply(.next)
    // The sound takes 16,000 bytes a second.
    for arrived in [0, 16_000, 30_000] {
      second.comesUpTo = arrived
      for _ in 0..<50 {
        _ = playback.player.step(mayWait: false)
        playback.crank(64)
      }
      #expect(playback.player.state == .buffering)
    }
    let here = playback.samples[0].count
    second.comesUpTo = .max
    crank(playback, until: .playing)
    let wasSilent = playback.soundingFrames[(here - 6400)..<here].allSatisfy { !$0 }
    #expect(wasSilent)
    for _ in 0..<1000 { playback.crank(64) }
    #expect(playback.player.buffering.stallCount == 0)
    #expect(playback.player.control.counters.underruns == 0)
    let count = 2 * playback.soundingFrames[here...].count { $0 }
    #expect(count > 2 * 64_000)
    let expected = ReferenceDecoder.mpg123(music).prefix(count)
    let isWhole = playback.sound.interleaved.suffix(count).elementsEqual(expected)
    #expect(isWhole)
  }

  @Test("A feeder that is held up at the first packets after a skip makes no underrun")
  func heldUpAfterSkip() {
    let second = MemorySource(bytes(), .pipe)
    second.comesUpTo = 2000
    let playback = playing(before: second) { _ in }
    playback.player.apply(.next)
    // Only now does the output change to the new track, and it finds some of its sound.
    for _ in 0..<50 { _ = playback.player.step(mayWait: false) }
    let fed = playback.player.feeder.fedNanoseconds
    #expect(fed > 0 && fed < 200_000_000)
    let here = playback.samples[0].count
    for _ in 0..<1000 { playback.crank(64) }
    let isSilent = playback.soundingFrames[(here + 300)...].allSatisfy { !$0 }
    #expect(isSilent)
    second.comesUpTo = .max
    crank(playback, until: .playing)
    for _ in 0..<1000 { playback.crank(64) }
    #expect(playback.player.control.counters.underruns == 0)
    let count = 2 * playback.soundingFrames[(here + 300)...].count { $0 }
    #expect(count >= 2 * 64_000)
    let expected = ReferenceDecoder.mpg123(music).prefix(count)
    let isWhole = playback.sound.interleaved.suffix(count).elementsEqual(expected)
    #expect(isWhole)
  }

  @Test("A pause during a seek ends at once, since the old sound is still in the ring")
  func resumeWhileSeeking() throws {
    let source = MemorySource(bytes(), .pipe)
    source.refusesRepositions = true
    source.pieceBytes = 1000
    let playback = playback(source) {
      $0.startThresholdNanoseconds = 2_000_000_000
      $0.highWaterNanoseconds = 3_000_000_000
    }
    crank(playback, until: .playing)
    playback.player.apply(.pause)
    for _ in 0..<20 { playback.crank(64) }
    let read = source.bytesRead
    playback.player.apply(.seek(toNanoseconds: 10_000_000_000))
    source.comesUpTo = read
    _ = playback.player.step(mayWait: false)
    try #require(playback.player.feeder.isSeeking)
    playback.player.apply(.resume)
    _ = playback.player.step(mayWait: false)
    #expect(playback.player.state == .playing)
  }

  @Test("Above the high water mark nothing is read, and below the low one reading resumes")
  func waterMarks() throws {
    let source = MemorySource(bytes(), .pipe)
    source.pieceBytes = 1000
    let playback = playback(source) {
      $0.highWaterNanoseconds = 4_000_000_000
      $0.lowWaterNanoseconds = 1_500_000_000
    }
    var levels: [UInt64] = []
    var read: [Int] = []
    while playback.player.step(mayWait: false) != .finished, source.bytesRead < 150_000 {
      guard playback.player.state == .playing else { continue }
      playback.crank(64)
      levels.append(playback.player.bufferedNanoseconds)
      read.append(source.bytesRead)
    }
    let packet: UInt64 = 26_122_449
    #expect(levels.max()! <= 4_000_000_000 + 3 * packet)
    let full = try #require(levels.firstIndex { $0 >= 4_000_000_000 })
    #expect(levels[full...].min()! >= 1_500_000_000 - 2 * packet)
    // Once the level reaches the high mark, nothing is read until the low mark is reached.
    let resumed = try #require(read[full...].firstIndex { $0 > read[full] })
    #expect(levels[resumed - 1] < 1_500_000_000 + packet)
    #expect(playback.player.control.counters.underruns == 0)
  }

  @Test(
    "With a low mark of 0 reading resumes when the ring is empty, and every frame plays",
    arguments: [(2_000_000_000, 0), (0, 0), (0, .max)] as [(UInt64, UInt64)])
  func zeroMarks(_ high: UInt64, _ low: UInt64) {
    let playback = playback(MemorySource(bytes(), .pipe)) {
      $0.highWaterNanoseconds = high
      $0.lowWaterNanoseconds = low
    }
    crank(playback, until: .playing)
    crank(playback, until: .ended)
    let isWhole = playback.isWhole(ReferenceDecoder.mpg123(music))
    #expect(isWhole)
  }

  @Test("A seek does not wait for the low water mark")
  func seekWhileResting() throws {
    let playback = playback(MemorySource(bytes(), .file)) {
      $0.highWaterNanoseconds = 2_000_000_000
      $0.lowWaterNanoseconds = 0
    }
    crank(playback, until: .playing)
    playback.player.apply(.seek(toNanoseconds: 8_000_000_000))
    for _ in 0..<50 where playback.player.seek != nil {
      _ = playback.player.step(mayWait: false)
      playback.crank(64)
    }
    #expect(playback.player.seek == nil)
    #expect(playback.player.control.counters.underruns == 0)
  }

  @Test(
    "With sound ahead the player rests up to 1 s for a local source, and up to 0.1 s for others",
    arguments: [true, false])
  func rest(isLocal: Bool) throws {
    let source = MemorySource(bytes(), .file)
    source.isLocal = isLocal
    let playback = playback(source) {
      $0.startThresholdNanoseconds = 1_000_000_000
      $0.highWaterNanoseconds = 1_000_000_000
      $0.lowWaterNanoseconds = 0
    }
    crank(playback, until: .playing)
    // The rest is at most a second; then it ends half a second before the ring is empty; then at a third of the level.
    for level in [1_900_000_000, 1_100_000_000, 600_000_000] as [UInt64] {
      while playback.player.bufferedNanoseconds > level
        || playback.player.step(mayWait: false) == .progressed
      {
        playback.crank(64)
      }
      let buffered = playback.player.bufferedNanoseconds
      try #require((level - 200_000_000...level).contains(buffered))
      let rest = level > 1_500_000_000 ? 1_000_000_000 : max(buffered / 3, buffered - 500_000_000)
      let look = min(100_000_000, buffered / 8)
      #expect(
        playback.player.step(mayWait: false) == .wait(nanoseconds: isLocal ? rest : look))
    }
  }

  @Test("The rate of arrival is that of the last seconds, and a new source starts a new one")
  func arrival() {
    var meter = ArrivalMeter()
    #expect(meter.bytesPerSecond == nil)
    // A thousand bytes arrive in each of ten seconds, then five thousand.
    for tenth in 0...100 {
      meter.note(byteCount: UInt64(tenth * 100), at: UInt64(tenth) * 100_000_000)
    }
    #expect(meter.bytesPerSecond == 1000)
    for tenth in 101...140 {
      meter.note(
        byteCount: UInt64(10_000 + (tenth - 100) * 500), at: UInt64(tenth) * 100_000_000)
    }
    #expect(meter.bytesPerSecond == 5000)
    meter.note(byteCount: 0, at: 15_000_000_000)
    #expect(meter.bytesPerSecond == nil)
    meter.note(byteCount: 700, at: 16_000_000_000)
    #expect(meter.bytesPerSecond == 700)
  }

  @Test("The cause is the stage that took most of the feeder's last seconds")
  func times() {
    var times = FeederTimes()
    #expect(times.cause(isLocal: true) == .disk)
    times.note(source: 1_000_000_000, parser: 2_000_000_000)
    #expect(times.cause(isLocal: true) == .parser)
    times.note(decoder: 2_500_000_000)
    #expect(times.cause(isLocal: false) == .decoder)
    // Times of an hour ago do not count.
    for _ in 0..<100 { times.note(source: 500_000_000, decoder: 1_000_000) }
    #expect(times.cause(isLocal: false) == .network)
  }

  @Test("The ranges that can play without a server combine buffered and spooled sound")
  func ranges() {
    #expect(bufferedRanges(from: 5, buffered: 3, spooled: [], duration: nil) == [5..<8])
    #expect(bufferedRanges(from: 5, buffered: 9, spooled: [], duration: 10) == [5..<10])
    #expect(bufferedRanges(from: 12, buffered: 9, spooled: [], duration: 10) == [])
    #expect(
      bufferedRanges(from: 5, buffered: 3, spooled: [0..<2, 4..<6, 8..<9, 20..<30], duration: 40)
        == [0..<2, 4..<9, 20..<30])
    #expect(bufferedRanges(from: 5, buffered: 0, spooled: [], duration: nil) == [])
  }

  @Test("The fetched parts of a track are reported as times")
  func spooledTimes() throws {
    let server = LoopbackHTTPServer()
    let directory = TemporaryDirectory()
    defer { server.stop() }
    server.serve("/a", .file(music, ranges: .honoured))
    var configuration = ByteSourceConfiguration()
    configuration.spool = .directory(path: directory.path, maximumBytes: 64 << 20)
    let reader = try TrackReader(opening: server.url("/a"), configuration: configuration)
    let duration = try #require(try reader.readInformation().durationNanoseconds)
    let packet: UInt64 = 26_122_449
    try reader.seek(toFrame: 10 * 44100)
    let early = reader.spooledTimeRanges
    #expect(early.count == 2)
    #expect(early.first?.lowerBound == 0)
    // The pre-roll of the decoder is fetched, too.
    let second = try #require(early.last)
    let format = try #require(reader.output.information?.dataFormat)
    let frame = PreRoll.firstFrame(
      before: 441_000, format, isLocal: false, substitutesNoise: false)
    let first = UInt64(frame) * 1_000_000_000 / 44100
    #expect((first - 2 * packet...first).contains(second.lowerBound))
    while try reader.step(timeoutNanoseconds: 1_000_000_000) != .ended {}
    #expect(reader.spooledTimeRanges.last?.upperBound == duration)
  }
}
