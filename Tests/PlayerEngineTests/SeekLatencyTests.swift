// SPDX-License-Identifier: MIT

import ByteSources
import RenderCore
import TestKit
import Testing

@testable import PlayerEngine

/// A server whose every answer begins 40 ms after the request: one round trip of a link.
@Suite("Seeking over a link of 40 ms")
final class SeekLatencyTests {
  private static let rate = Double(CountingWave.sampleRate)
  private static let linkNanoseconds: UInt64 = 40_000_000

  private let server = LoopbackHTTPServer()

  deinit {
    server.stop()
  }

  /// The cost of one seek.
  private struct Outcome {
    /// Requests between the seek and the first new frame.
    var requests: Int
    /// Milliseconds between the two, less the link's delay.
    var excess: Double
  }

  private func start(
    _ path: String, _ spool: SpoolConfiguration = .off, ringBytes: Int = 256 << 10
  ) -> OfflinePlayback {
    var configuration = PlayerConfiguration()
    configuration.ringBytes = ringBytes
    configuration.startThresholdNanoseconds = 300_000_000
    var sources = ByteSourceConfiguration()
    sources.spool = spool
    let playback = OfflinePlayback(
      [server.url(path)], rate: Self.rate, channels: 2, configuration: configuration,
      sources: sources)
    while playback.player.state != .playing { _ = playback.player.step(mayWait: true) }
    for _ in 0..<10 { playback.crank(64) }
    return playback
  }

  /// Seeks to a frame and plays on until the new sound begins.
  ///
  /// - Parameter isFirst: returns whether an index of the recording is the first new frame behind the fade.
  private func seek(
    _ playback: OfflinePlayback, toFrame frame: Int, isFirst: (OfflinePlayback, Int) -> Bool
  ) throws -> Outcome {
    let requests = server.requests.count
    let first = playback.samples[0].count
    var next = first
    let start = monotonicSeconds()
    playback.player.apply(
      .seek(toNanoseconds: UInt64((Double(frame) * 1e9 / Self.rate).rounded())))
    while monotonicSeconds() - start < 20 {
      _ = playback.player.step(mayWait: true)
      playback.crank(64)
      while next + 64 <= playback.samples[0].count {
        if isFirst(playback, next) {
          let milliseconds = (monotonicSeconds() - start) * 1e3
          let made = server.requests.count - requests
          return Outcome(
            requests: made,
            excess: milliseconds - Double(made) * Double(Self.linkNanoseconds) / 1e6)
        }
        next += 1
      }
    }
    throw ServerProcess.Failure(
      text: "frame \(frame) was not heard: \(playback.events.suffix(4))")
  }

  private func print(_ outcomes: [Outcome], _ name: String) {
    for count in Set(outcomes.map(\.requests)).sorted() {
      let times = outcomes.filter { $0.requests == count }.map(\.excess).sorted()
      func part(_ share: Double) -> String {
        let tenths = Int((times[Int(share * Double(times.count - 1))] * 10).rounded())
        return "\(tenths / 10).\(abs(tenths % 10))"
      }
      Swift.print(
        "\(name): \(times.count) seeks with \(count) requests; first new frame, less \(40 * count)"
          + " ms for them: least \(part(0)), median \(part(0.5)), 90 % \(part(0.9)),"
          + " 99 % \(part(0.99)), most \(part(1)) ms")
    }
  }

  /// Returns the median of the times of seeks with one request.
  private func median(_ outcomes: [Outcome]) -> Double {
    let times = outcomes.filter { $0.requests == 1 }.map(\.excess).sorted()
    return times.isEmpty ? 0 : times[times.count / 2]
  }

  private func serve(_ wave: CountingWave) {
    server.serve(
      "/hour.wav",
      ResponsePlan(
        fields: [("Content-Type", "audio/wav"), ("ETag", "\"hour\"")],
        body: .generated(byteCount: wave.byteCount) { wave.bytes(at: $0, $1) }, ranges: .honoured,
        delayNanoseconds: Self.linkNanoseconds))
  }

  private static func number(_ playback: OfflinePlayback, _ index: Int) -> Int? {
    playback.soundingFrames[index]
      ? CountingWave.number(playback.samples[0][index], playback.samples[1][index]) : nil
  }

  /// Returns whether the frames from an index of the recording on are these, behind the fade.
  private static func counts(_ playback: OfflinePlayback, _ index: Int, from frame: Int) -> Bool {
    (0..<64).allSatisfy { number(playback, index + $0) == frame + OfflinePlayback.fadeFrames + $0 }
  }

  @Test("each of 300 seeks in an hour reaches the exact frame, within one exchange with the server")
  func manySeeks() throws {
    let wave = CountingWave(frameCount: 3600 * CountingWave.sampleRate)
    serve(wave)
    let playback = start("/hour.wav")
    var random = SplitMix(state: 300)
    var outcomes: [Outcome] = []
    for _ in 0..<300 {
      let frame = Int.random(in: 0..<wave.frameCount - CountingWave.sampleRate, using: &random)
      let outcome = try seek(playback, toFrame: frame) { Self.counts($0, $1, from: frame) }
      #expect(outcome.requests <= 1)
      outcomes.append(outcome)
    }
    print(outcomes, "an hour of WAVE")
    #expect(server.requests.count <= 301)
    #expect(median(outcomes) < 30)
    #expect(playback.player.control.counters.underruns == 0)
  }

  @Test("a seek into spooled sound needs no request, any other seek one")
  func spooled() throws {
    let wave = CountingWave(frameCount: 3600 * CountingWave.sampleRate)
    serve(wave)
    let directory = TemporaryDirectory()
    let playback = start(
      "/hour.wav", .directory(path: directory.path, maximumBytes: 256 << 20), ringBytes: 512 << 10)
    var random = SplitMix(state: 301)
    var outcomes: [Outcome] = []
    var frames: [Int] = []
    var spooledSeeks = 0
    // The bytes needed before the new sound plays, and the reads while the old sound fades.
    let wanted = UInt64(CountingWave.sampleRate / 2 * CountingWave.frameBytes + 192 << 10)
    for index in 0..<300 {
      // All bytes that the last seek requested arrive before the next seek, and some of the sound plays.
      while playback.player.lastStep != .waitingForRing {
        _ = playback.player.step(mayWait: true)
      }
      for _ in 0..<200 { playback.crank(64) }
      // Two of three seeks repeat an earlier target, or go shortly behind it.
      let frame =
        index % 3 == 0
        ? Int.random(in: 0..<wave.frameCount - CountingWave.sampleRate, using: &random)
        : frames.randomElement(using: &random)! + Int.random(in: 0..<2000, using: &random)
      if index % 3 == 0 { frames.append(frame) }
      let place = UInt64(CountingWave.headBytes + frame * CountingWave.frameBytes)
      let ranges = try #require(playback.player.interrupter).spooledByteRanges
      let isSpooled = ranges.contains {
        $0.contains(place) && $0.upperBound - place >= min(wanted, wave.byteCount - place)
      }
      let outcome = try seek(playback, toFrame: frame) { Self.counts($0, $1, from: frame) }
      #expect(outcome.requests <= (isSpooled ? 0 : 1), "\(index)")
      outcomes.append(outcome)
      spooledSeeks += isSpooled ? 1 : 0
    }
    print(outcomes, "an hour of WAVE, spooled")
    #expect(spooledSeeks > 100)
    #expect(playback.player.control.counters.underruns == 0)
    #expect(median(outcomes) < 30)
  }

  // The noise substitution is off, since every decode makes other noise.
  @Test(
    "in a coded file with a table each seek reaches the frame of a plain decode",
    arguments: [
      "flac -s -S 1s -o seek.flac noise.wav", "ffmpeg -v error -i noise.wav -aac_pns 0 seek.m4a",
    ])
  func coded(_ command: String) throws {
    let workshop = Workshop()
    try workshop.run(
      "sox -R -D -n -r 44100 -b 16 -c 2 noise.wav synth 120 pinknoise brownnoise gain -6")
    try workshop.run(command)
    let name = command.contains("flac -s") ? "seek.flac" : "seek.m4a"
    let straight = OfflinePlayback([workshop.path(name)], rate: Self.rate, channels: 2)
    straight.run(period: 1024)
    let expected = straight.sound
    #expect(expected[0].count >= 119 * CountingWave.sampleRate)
    var plan = ResponsePlan.file(workshop.path(name), type: "audio/x", ranges: .honoured)
    plan.delayNanoseconds = Self.linkNanoseconds
    server.serve("/" + name, plan)
    let playback = start("/" + name)
    var random = SplitMix(state: 40)
    var outcomes: [Outcome] = []
    for _ in 0..<60 {
      let frame = Int.random(in: 0..<expected[0].count - CountingWave.sampleRate, using: &random)
      // The first frame behind the fade.
      let exact = frame + OfflinePlayback.fadeFrames
      let outcome = try seek(playback, toFrame: frame) { playback, index in
        (0..<64).allSatisfy { offset in
          (0..<2).allSatisfy {
            abs(playback.samples[$0][index + offset] - expected[$0][exact + offset]) < 1e-4
          }
        }
      }
      #expect(outcome.requests <= 1)
      outcomes.append(outcome)
    }
    for case .sought(_, let seek) in playback.events { #expect(!seek.isEstimated) }
    print(outcomes, name)
    #expect(median(outcomes) < 30)
  }
}
