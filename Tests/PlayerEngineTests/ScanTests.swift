// SPDX-License-Identifier: MIT

import OfflineOutput
import RenderCore
import TestKit
import Testing

@testable import PlayerEngine

/// Files whose samples are their own frame numbers.
@Suite("Fast forward and rewind")
struct ScanTests {
  private static let rate = 44100
  private let directory = TemporaryDirectory()

  private func start(seconds: [Int], at nanoseconds: UInt64) throws -> OfflinePlayback {
    let paths = try seconds.enumerated().map { index, seconds in
      let path = directory.file("\(index).wav")
      var writer = try WaveFileWriter(path: path, sampleRate: Self.rate, channels: 1)
      let samples = (0..<seconds * Self.rate).map { Float($0) / Float(1 << 23) }
      try writer.write(interleaved: samples.span)
      try writer.close()
      return path
    }
    var configuration = PlayerConfiguration()
    configuration.startThresholdNanoseconds = 300_000_000
    let playback = OfflinePlayback(
      paths, rate: Double(Self.rate), channels: 1, configuration: configuration)
    while playback.player.state != .playing { _ = playback.player.step(mayWait: true) }
    playback.player.apply(.seek(toNanoseconds: nanoseconds))
    crank(playback, cycles: 60)
    #expect(playback.player.seek == nil)
    return playback
  }

  private func crank(_ playback: OfflinePlayback, cycles: Int) {
    for _ in 0..<cycles {
      _ = playback.player.step(mayWait: false)
      playback.crank(64)
    }
  }

  private func speeds(_ playback: OfflinePlayback) -> [Int] {
    playback.events.compactMap { if case .scan(let speed) = $0 { speed } else { nil } }
  }

  /// Returns the pieces that sounded: the first frame of each, and its length.
  private func pieces(_ playback: OfflinePlayback, from index: Int) -> [(first: Int, count: Int)] {
    var pieces: [(first: Int, count: Int)] = []
    for (sample, isSound) in zip(playback.samples[0][index...], playback.soundingFrames[index...])
    where isSound {
      let number = Int((sample * Float(1 << 23)).rounded())
      if let last = pieces.last, number == last.first + last.count {
        pieces[pieces.count - 1].count += 1
      } else {
        pieces.append((number, 1))
      }
    }
    // Fades are not frame numbers.
    return pieces.filter { $0.count > 64 }
  }

  @Test(
    "pass the track at the requested speed, in audible pieces", arguments: [4, 16, -4, -8])
  func speed(_ speed: Int) throws {
    let playback = try start(seconds: [120], at: 60_000_000_000)
    let here = playback.samples[0].count
    let before = playback.player.shownPosition.nanoseconds
    playback.player.apply(.scan(speed: speed))
    crank(playback, cycles: 3 * Self.rate / 64)
    let passed = Double(Int64(playback.player.shownPosition.nanoseconds) - Int64(before)) / 1e9
    // Three seconds, in steps of speed times 0.3 s; each change of the sound takes a little time.
    let step = 0.3 * Double(speed)
    #expect(abs(passed - 3 * Double(speed)) <= 1.5 * abs(step))
    // The first piece began before the scan.
    let pieces = pieces(playback, from: here).dropFirst()
    #expect(pieces.count >= 8)
    for (piece, next) in zip(pieces, pieces.dropFirst()) {
      #expect((13_000...14_000).contains(piece.count))
      #expect(abs(Double(next.first - piece.first) / Double(Self.rate) - step) < 0.02)
    }
    #expect(playback.player.control.counters.underruns == 0)
    playback.player.apply(.scan(speed: 1))
    #expect(speeds(playback) == [speed, 0])
    let end = playback.samples[0].count
    crank(playback, cycles: 100)
    #expect(self.pieces(playback, from: end).count <= 2)
  }

  @Test("get faster or slower with every request, however fast requests follow each other")
  func requests() throws {
    let playback = try start(seconds: [120], at: 60_000_000_000)
    for _ in 0..<5 { playback.player.apply(.changeScanSpeed(forward: true)) }
    for _ in 0..<5 { playback.player.apply(.changeScanSpeed(forward: false)) }
    #expect(speeds(playback) == [4, 8, 16, 32, 16, 8, 4, 0, -4])
    playback.player.apply(.scan(speed: -64))
    playback.player.apply(.changeScanSpeed(forward: false))
    playback.player.apply(.changeScanSpeed(forward: true))
    #expect(speeds(playback).suffix(2) == [-64, -32])
  }

  @Test("end at the track's end, and the next track plays at normal speed")
  func end() throws {
    let playback = try start(seconds: [10, 3], at: 5_000_000_000)
    playback.player.apply(.scan(speed: 8))
    crank(playback, cycles: 2 * Self.rate / 64)
    #expect(speeds(playback) == [8, 0])
    #expect(playback.player.shownPosition.track == 1)
    let here = playback.samples[0].count
    crank(playback, cycles: 200)
    #expect(pieces(playback, from: here).count == 1)
  }

  @Test("end at the track's start, which then plays")
  func start() throws {
    let playback = try start(seconds: [20], at: 3_000_000_000)
    playback.player.apply(.scan(speed: -4))
    crank(playback, cycles: 3 * Self.rate / 64)
    #expect(speeds(playback) == [-4, 0])
    #expect(playback.player.shownPosition.nanoseconds < 3_000_000_000)
    #expect(playback.player.control.counters.underruns == 0)
  }

  @Test("end with any command that moves elsewhere or stops the sound")
  func commands() throws {
    let commands: [SteppedPlayer.Command] = [
      .pause, .seek(toNanoseconds: 1_000_000_000), .seekBy(nanoseconds: 5), .next, .previous,
      .restart, .track(0), .stop,
    ]
    for command in commands {
      let playback = try start(seconds: [20, 5], at: 3_000_000_000)
      playback.player.apply(.scan(speed: 1000))
      playback.player.apply(.resume)
      #expect(speeds(playback) == [SteppedPlayer.maximumScanSpeed])
      playback.player.apply(command)
      #expect(speeds(playback) == [SteppedPlayer.maximumScanSpeed, 0])
    }
  }

  @Test("end if the source cannot seek, which is reported once, and the sound continues")
  func refused() {
    let wave = CountingWave(frameCount: 20 * Self.rate)
    let source = MemorySource(wave.bytes(at: 0, Int(wave.byteCount)), .pipe)
    source.refusesRepositions = true
    let playback = OfflinePlayback(
      opened: TrackReader(source, location: "memory"), [], rate: Double(Self.rate), channels: 2)
    while playback.player.state != .playing { _ = playback.player.step(mayWait: false) }
    crank(playback, cycles: Self.rate / 64)
    playback.player.apply(.scan(speed: -4))
    crank(playback, cycles: Self.rate / 64)
    #expect(speeds(playback) == [-4, 0])
    let refusals = playback.events.count { if case .seekFailed = $0 { true } else { false } }
    #expect(refusals == 1)
    let heard = zip(playback.sound[0], playback.sound[1]).map(CountingWave.number)
    let isWhole = heard.elementsEqual(0..<heard.count)
    #expect(isWhole && heard.count >= Self.rate / 64 * 128)
  }
}
