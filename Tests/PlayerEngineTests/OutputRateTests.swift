// SPDX-License-Identifier: MIT

import Glibc
import OfflineOutput
import RenderCore
import TestKit
import Testing

@testable import PlayerEngine

@Suite("The output changes its rate")
struct OutputRateTests {
  /// Returns a sample of a tone that rises from 500 Hz by 400 Hz a second: no two parts are alike.
  private static func value(_ seconds: Double) -> Float {
    Float(0.5 * sin(2 * .pi * (500 + 200 * seconds) * seconds))
  }

  /// Makes a file of the tone.
  private func makeTone(
    _ name: String, seconds: Int, rate: Int = 44100, in directory: TemporaryDirectory
  ) throws -> String {
    let path = directory.file(name)
    var writer = try WaveFileWriter(path: path, sampleRate: rate, channels: 2)
    var samples: [Float] = []
    for frame in 0..<rate * seconds {
      let value = Self.value(Double(frame) / Double(rate))
      samples.append(contentsOf: [value, value])
    }
    try writer.write(interleaved: samples.span)
    try writer.close()
    return path
  }

  /// A length of sound in one rate, and the number of its first frame.
  private struct Phase {
    let rate: Double
    let sound: [Float]
    let firstFrame: UInt64
  }

  /// Plays until this many frames have sounded.
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

  /// Returns a player that resamples linear PCM on the thread of `place`.
  private func player(
    _ paths: [String], at place: DecoderThread, quality: ResamplerQuality = .good
  ) -> OfflinePlayback {
    var configuration = PlayerConfiguration()
    configuration.decoderThread = place
    configuration.resamplerQuality = quality
    return OfflinePlayback(paths, rate: 48000, channels: 2, configuration: configuration)
  }

  @Test(
    "The sound continues with the frame after the last one, and the position is right",
    arguments: DecoderThread.allCases, ResamplerQuality.allCases)
  func changes(_ place: DecoderThread, _ quality: ResamplerQuality) throws {
    let directory = TemporaryDirectory()
    for sourceRate in [44100, 96000] {
      let path = try makeTone("\(sourceRate).wav", seconds: 5, rate: sourceRate, in: directory)
      let playback = player([path], at: place, quality: quality)
      var phases = [play(24000, of: playback)]
      let rates = [96000, 44100, 88200, 44100, 48000, 32000.0]
      for rate in rates {
        playback.renderer.sampleRate = rate
        phases.append(play(Int(rate / 2), of: playback))
      }
      let told = playback.events.compactMap {
        if case .outputRateChanged(let hertz) = $0 { Double(hertz) } else { nil }
      }
      #expect(told == rates)
      #expect(playback.player.control.counters.underruns == 0)
      // The time of the sound's next frame, computed from the rendered frames only.
      var seconds = 0.0
      for phase in phases {
        let begin = try #require(playback.player.timeline.position(at: phase.firstFrame))
        let skipped = Double(begin.nanoseconds) / 1e9 - seconds
        #expect((-1e-6..<1 / min(phase.rate, 44100)).contains(skipped), "\(phase.rate) Hz")
        // Only frames behind the ramp are compared.
        for index in stride(from: phase.firstFrame > 0 ? 300 : 600, to: phase.sound.count, by: 7)
        where Double(index) > 0.0055 * phase.rate {
          let place = try #require(
            playback.player.timeline.position(at: phase.firstFrame + UInt64(index)))
          let expected = Self.value(Double(place.nanoseconds) / 1e9)
          guard abs(phase.sound[index] - expected) < 2e-4 else {
            Issue.record(
              "\(sourceRate): frame \(index) at \(phase.rate) Hz is \(phase.sound[index]), not \(expected)"
            )
            break
          }
        }
        seconds = Double(begin.nanoseconds) / 1e9 + Double(phase.sound.count) / phase.rate
      }
    }
  }

  @Test(
    "A change omits no sound, and the rest plays to its end",
    arguments: DecoderThread.allCases)
  func length(_ place: DecoderThread) throws {
    let directory = TemporaryDirectory()
    let paths = try ["1.wav", "2.wav"].map { try makeTone($0, seconds: 2, in: directory) }
    let playback = player(paths, at: place)
    let first = play(48000, of: playback)
    playback.renderer.sampleRate = 32000
    let rest = play(.max >> 1, of: playback)
    let seconds = Double(first.sound.count) / 48000 + Double(rest.sound.count) / 32000
    #expect(abs(seconds - 4) < 2.0 / 32000)
    #expect(playback.states.last == .ended)
    // The second track still joins the first.
    let silent = zip(playback.soundingFrames, playback.soundingFrames.dropFirst())
    #expect(silent.count { $0 && !$1 } <= 2)
  }

  @Test(
    "A track whose start is inside a resampler starts at its time after a change",
    arguments: DecoderThread.allCases, [96000, 44100, 22050.0])
  func atBoundary(_ place: DecoderThread, _ rate: Double) throws {
    let directory = TemporaryDirectory()
    let paths = try ["1.wav", "2.wav"].map { try makeTone($0, seconds: 1, in: directory) }
    let playback = player(paths, at: place)
    _ = play(48000 - 500, of: playback)
    playback.renderer.sampleRate = rate
    let rest = play(.max >> 1, of: playback)
    let before = try #require(
      playback.player.timeline.position(at: rest.firstFrame + UInt64(rate / 50)))
    #expect(before.track == 1)
    let first = try #require(
      rest.sound.indices.first { frame in
        playback.player.timeline.position(at: rest.firstFrame + UInt64(frame))?.track == 1
      })
    let silent = 48000 - Int(rest.firstFrame)
    #expect(abs(Double(first) / rate - Double(silent) / 48000) <= 2 / rate)
    #expect(abs(Double(rest.sound.count) / rate - Double(silent) / 48000 - 1) < 2 / rate)
    // The boundary lies between two frames: up to one frame's step of the tone.
    let step = Float(0.5 * 2 * .pi * 700 / rate)
    for index in stride(from: first + Int(rate / 100), to: first + Int(rate / 2), by: 11) {
      let place = try #require(
        playback.player.timeline.position(at: rest.firstFrame + UInt64(index)))
      let error = abs(rest.sound[index] - Self.value(Double(place.nanoseconds) / 1e9))
      guard error < step else {
        Issue.record("frame \(index): \(error) off")
        break
      }
    }
  }

  @Test("A change during silence applies to the next sound")
  func beforeTheFirstSound() throws {
    let directory = TemporaryDirectory()
    let path = try makeTone("tone.wav", seconds: 3, in: directory)
    let playback = OfflinePlayback([path], rate: 48000, channels: 2)
    playback.renderer.sampleRate = 96000
    _ = play(96000, of: playback)
    let place = try #require(playback.player.timeline.position(at: 96000))
    #expect(place.nanoseconds == 1_000_000_000)
  }

  @Test("A source reports the change before its feeder knows of it")
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

  @Test("Two changes before the feeder's next step lead to the last rate")
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
