// SPDX-License-Identifier: MIT

import ByteSources
import OfflineOutput
import RenderCore
import Synchronization
import TestKit
import Testing

@testable import PlayerEngine

@Suite("Feeder")
struct FeederTests {
  /// Returns a feeder of a list, and its renderer.
  private func feeder(_ locations: [String], ringBytes: Int = 2 << 20) -> (Feeder, Renderer) {
    let renderer = Renderer(sampleRate: 44100, outputChannels: 2)
    let source = renderer.addSource(ringBytes: ringBytes)
    return (
      Feeder(
        feed: source.feed, opened: nil, items: locations.map { PlaylistItem(location: $0) },
        configuration: .init()), renderer
    )
  }

  @Test("An empty list ends at once")
  func emptyList() {
    let (feeder, renderer) = feeder([])
    #expect(feeder.step(timeoutNanoseconds: 0) == .finished)
    #expect(feeder.isFinished)
    withExtendedLifetime(renderer) {}
  }

  @Test("A full ring stops the reading until it has room")
  func backPressure() {
    let (feeder, renderer) = feeder(
      [Fixtures.path("mp3-cbr320-44100-2.mp3")], ringBytes: 64 << 10)
    var step = Feeder.Step.progressed
    while step == .progressed { step = feeder.step(timeoutNanoseconds: 0) }
    #expect(step == .waitingForRing)
    let buffered = feeder.feed.bufferedNanoseconds
    for _ in 0..<100 { #expect(feeder.step(timeoutNanoseconds: 0) == .waitingForRing) }
    #expect(feeder.feed.bufferedNanoseconds == buffered)
    // 64 KiB at 320 kbit/s are 1.6 s, a quarter of which is reserved for a seek.
    #expect((1_150_000_000...1_250_000_000).contains(buffered))
    withExtendedLifetime(renderer) {}
  }

  @Test(
    "Of a local source only sound needed soon is held; of others, as much as the ring can hold",
    arguments: [true, false], [3_000_000_000, 10_000_000_000] as [UInt64])
  func highWater(_ isLocal: Bool, _ thresholdNanoseconds: UInt64) {
    let wave = CountingWave(frameCount: 30 * CountingWave.sampleRate)
    let source = MemorySource(wave.bytes(at: 0, Int(wave.byteCount)), .file)
    source.isLocal = isLocal
    source.pieceBytes = 8192
    let renderer = Renderer(sampleRate: 44100, outputChannels: 2)
    let added = renderer.addSource(ringBytes: 64 << 20)
    var configuration = PlayerConfiguration()
    configuration.startThresholdNanoseconds = thresholdNanoseconds
    let feeder = Feeder(
      feed: added.feed, opened: TrackReader(source, location: "memory"), items: [],
      configuration: .init(), buffering: configuration)
    var step = Feeder.Step.progressed
    while step == .progressed { step = feeder.step(timeoutNanoseconds: 0) }
    let held = feeder.feed.bufferedNanoseconds
    #expect(step == (isLocal ? .waitingForRing : .finished))
    let wanted = max(12_000_000_000, 2 * thresholdNanoseconds)
    // One more run of packets may have been read.
    let expected = isLocal ? wanted...wanted + 300_000_000 : 29_900_000_000...30_000_000_000
    #expect(expected.contains(held))
    // The user's setting applies to every source.
    configuration.highWaterNanoseconds = 5_000_000_000
    #expect(
      configuration.highWaterNanoseconds(isLocal: isLocal, isDecoded: !isLocal) == 5_000_000_000)
    withExtendedLifetime(renderer) {}
  }

  @Test("A track that was opened before reports its properties, also if it fills the ring")
  func openedTrack() throws {
    let reader = try TrackReader(opening: Fixtures.path("mp3-cbr320-44100-2.mp3"))
    try reader.readInformation()
    while reader.output.packets.first == nil { _ = try reader.step(timeoutNanoseconds: 0) }
    let renderer = Renderer(sampleRate: 44100, outputChannels: 2)
    let source = renderer.addSource(ringBytes: 4096)
    let feeder = Feeder(feed: source.feed, opened: reader, items: [], configuration: .init())
    var step = Feeder.Step.progressed
    while step == .progressed { step = feeder.step(timeoutNanoseconds: 0) }
    #expect(step == .waitingForRing)
    let isFound = feeder.events.contains { if case .found = $0 { true } else { false } }
    #expect(isFound)
    withExtendedLifetime(renderer) {}
  }

  @Test("A packet larger than the ring is an error with its byte offset, not a hang")
  func hugePacket() {
    let (feeder, renderer) = feeder([Fixtures.path("mp3-free-44100-2.mp3")], ringBytes: 2048)
    var step = Feeder.Step.progressed
    while step != .finished { step = feeder.step(timeoutNanoseconds: 0) }
    let failures = feeder.events.compactMap {
      if case .failed(_, let error) = $0 { error } else { nil }
    }
    guard case .packetTooLarge(let bytes, _)? = failures.first?.reason else {
      Issue.record("no such error")
      return
    }
    #expect(bytes > 1024)
    withExtendedLifetime(renderer) {}
  }

  @Test("A feeder thread and a render thread together lose nothing", arguments: [64, 1024])
  func twoThreads(_ period: Int) {
    let tracks = ["mp3-cbr128-44100-2.mp3", "gapless-1.mp3", "gapless-2.mp3"].map(Fixtures.path)
    var configuration = PlayerConfiguration()
    configuration.ringBytes = 64 << 10
    configuration.startThresholdNanoseconds = 500_000_000
    let renderer = Renderer(sampleRate: 44100, outputChannels: 2)
    let player = StepThread(
      SteppedPlayer(
        locations: tracks, renderer: renderer, configuration: configuration, tell: { _ in }))
    var output = OfflineOutput(renderer: renderer)
    var rendered: [Float] = []
    var samples: [Float] = []
    var before: UInt64 = 0
    // No clock and no waiting: the render thread outruns the feeder, and underruns come and go.
    player.start()
    while !player.isFinished {
      output.render(frameCount: period, interleavedInto: &samples)
      let after = player.control.position.outputFrames
      rendered.append(contentsOf: samples[..<(2 * Int(after - before))])
      before = after
    }
    player.join()
    let expected = tracks.flatMap(ReferenceDecoder.mpg123)
    #expect(rendered.count == expected.count)
    // A fade behind each underrun changes the samples.
    let faded = zip(rendered, expected).count { $0 != $1 }
    #expect(faded <= 2 * OfflinePlayback.fadeFrames * Int(player.control.counters.underruns))
  }
}

/// Repeats a player's step on a separate thread. It shares only atomics with the render side, so that ThreadSanitizer
/// checks all accesses.
private final class StepThread: @unchecked Sendable {
  let control: SourceControl
  private let player: SteppedPlayer
  private let finished = Atomic<Bool>(false)
  private var thread: JoinableThread?

  init(_ player: SteppedPlayer) {
    self.player = player
    control = player.control
  }

  var isFinished: Bool { finished.load(ordering: .acquiring) }

  func start() {
    thread = JoinableThread { [self] in
      while player.step(mayWait: false) != .finished {}
      finished.store(true, ordering: .releasing)
    }
  }

  func join() { thread?.join() }
}
