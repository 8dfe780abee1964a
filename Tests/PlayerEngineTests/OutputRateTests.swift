// SPDX-License-Identifier: MIT

import Glibc
import OfflineOutput
import RenderCore
import TestKit
import Testing

@testable import PlayerEngine

@Suite("The output changes its rate")
struct OutputRateTests {
  private static func value(_ seconds: Double) -> Float {
    Float(0.5 * sin(2 * .pi * 1000 * seconds))
  }

  /// Seconds of a 1 kHz tone at 44.1 kHz.
  private func makeTone(_ name: String, seconds: Int, in directory: TemporaryDirectory) throws
    -> String
  {
    let path = directory.file(name)
    var writer = try WaveFileWriter(path: path, sampleRate: 44100, channels: 2)
    var samples: [Float] = []
    for frame in 0..<44100 * seconds {
      let value = Self.value(Double(frame) / 44100)
      samples.append(contentsOf: [value, value])
    }
    try writer.write(interleaved: samples.span)
    try writer.close()
    return path
  }

  /// A length of sound in one rate, and how its frames are numbered.
  private struct Phase {
    let rate: Double
    let sound: [Float]
    let firstFrame: UInt64
  }

  /// Plays until so many frames have sounded.
  private func play(_ frames: Int, of playback: OfflinePlayback, period: Int = 64) -> Phase {
    let first = playback.player.control.position.outputFrames
    let start = playback.samples[0].count
    while playback.player.control.position.outputFrames < first + UInt64(frames),
      playback.player.step(mayWait: true) != .finished
    {
      if playback.player.state == .playing { playback.crank(period) }
    }
    let sound = zip(playback.samples[0][start...], playback.soundingFrames[start...])
    return Phase(
      rate: playback.renderer.sampleRate, sound: sound.compactMap { $1 ? $0 : nil },
      firstFrame: first)
  }

  /// A player of linear PCM that is resampled at a place.
  private func player(_ paths: [String], at place: DecodePlace) -> OfflinePlayback {
    var configuration = PlayerConfiguration()
    configuration.decodePlace = place
    return OfflinePlayback(paths, rate: 48000, channels: 2, configuration: configuration)
  }

  @Test(
    "The sound goes on at its place in every rate, and the position is right to the frame",
    arguments: DecodePlace.allCases)
  func changes(_ place: DecodePlace) throws {
    let directory = TemporaryDirectory()
    let path = try makeTone("tone.wav", seconds: 6, in: directory)
    let playback = player([path], at: place)
    var phases = [play(48000, of: playback)]
    for rate in [96000, 44100, 48000, 44100.0] {
      playback.renderer.sampleRate = rate
      phases.append(play(Int(rate), of: playback))
    }
    let told = playback.events.compactMap {
      if case .outputRateChanged(let hertz) = $0 { hertz } else { nil }
    }
    #expect(told == [96000, 44100, 48000, 44100])
    #expect(playback.player.control.counters.underruns == 0)
    for phase in phases {
      // Behind the ramp, and where a new resampler has settled.
      for index in stride(from: 2000, to: phase.sound.count, by: 7) {
        let frame = phase.firstFrame + UInt64(index)
        let place = try #require(playback.player.timeline.position(at: frame))
        let expected = Self.value(Double(place.nanoseconds) / 1e9)
        guard abs(phase.sound[index] - expected) < 2e-4 else {
          Issue.record("frame \(index) at \(phase.rate) Hz: \(phase.sound[index]), not \(expected)")
          break
        }
      }
    }
  }

  @Test(
    "A change leaves out what the resampler held back, and the rest is played to its end",
    arguments: DecodePlace.allCases)
  func length(_ place: DecodePlace) throws {
    let directory = TemporaryDirectory()
    let paths = try ["1.wav", "2.wav"].map { try makeTone($0, seconds: 2, in: directory) }
    let playback = player(paths, at: place)
    let first = play(48000, of: playback)
    playback.renderer.sampleRate = 32000
    let rest = play(.max >> 1, of: playback)
    let seconds = Double(first.sound.count) / 48000 + Double(rest.sound.count) / 32000
    #expect((3.97...4).contains(seconds))
    #expect(playback.states.last == .ended)
    // The second track still joins the first.
    let silent = zip(playback.soundingFrames, playback.soundingFrames.dropFirst())
    #expect(silent.count { $0 && !$1 } <= 2)
  }

  @Test("A change while nothing sounds holds for what sounds next")
  func beforeTheFirstSound() throws {
    let directory = TemporaryDirectory()
    let path = try makeTone("tone.wav", seconds: 3, in: directory)
    let playback = OfflinePlayback([path], rate: 48000, channels: 2)
    playback.renderer.sampleRate = 96000
    _ = play(96000, of: playback)
    let place = try #require(playback.player.timeline.position(at: 96000))
    #expect(place.nanoseconds == 1_000_000_000)
  }

  @Test("A source tells of the change before its feeder has heard of it")
  func unheardChange() throws {
    let directory = TemporaryDirectory()
    let path = try makeTone("tone.wav", seconds: 6, in: directory)
    let playback = OfflinePlayback([path], rate: 48000, channels: 2)
    _ = play(48000, of: playback)
    playback.renderer.sampleRate = 96000
    _ = playback.player.step(mayWait: false)
    playback.crank(256)
    let change = playback.player.control.position.rateChange
    #expect(change.hertz == 96000 && change.outputFrame == 48000)
    #expect(playback.player.timeline.outputRate == 48000)
    _ = playback.player.step(mayWait: false)
    #expect(playback.player.timeline.outputRate == 96000)
  }

  @Test("Two changes before the feeder comes to it lead to the last rate")
  func twoAtOnce() throws {
    let directory = TemporaryDirectory()
    let path = try makeTone("tone.wav", seconds: 3, in: directory)
    let playback = OfflinePlayback([path], rate: 48000, channels: 2)
    _ = play(24000, of: playback)
    playback.renderer.sampleRate = 96000
    _ = playback.player.step(mayWait: false)
    playback.renderer.sampleRate = 44100
    // The render side finds an older offer first.
    playback.crank(256)
    #expect(playback.soundingFrames.suffix(256).allSatisfy { !$0 })
    let phase = play(44100, of: playback)
    #expect(phase.sound.count >= 44100)
    let place = try #require(
      playback.player.timeline.position(at: phase.firstFrame + UInt64(phase.sound.count) - 1))
    let expected = Self.value(Double(place.nanoseconds) / 1e9)
    #expect(abs(phase.sound[phase.sound.count - 1] - expected) < 2e-4)
  }
}
