// SPDX-License-Identifier: MIT

import AudioModel
import Glibc
import OfflineOutput
import PlayerEngine
import RenderCore
import TestKit
import Testing

@Suite("Rate changes between tracks")
struct RateChangeTests {
  /// A continuous 1 kHz tone, a second of it in each track: the phase continues from track to track, and every track
  /// ends at a zero crossing.
  private static let tracks = [
    (44100, 2), (48000, 1), (96000, 2), (22050, 1), (44100, 1), (44100, 2), (8000, 1), (48000, 2),
  ]

  private func makeTracks(in directory: TemporaryDirectory) throws -> [String] {
    var paths: [String] = []
    for (index, (rate, channels)) in Self.tracks.enumerated() {
      let path = directory.file("\(index).wav")
      var writer = try WaveFileWriter(path: path, sampleRate: rate, channels: channels)
      var samples: [Float] = []
      for frame in 0..<rate {
        let value = Float(0.5 * sin(2 * .pi * 1000 * Double(frame) / Double(rate)))
        samples.append(contentsOf: repeatElement(value, count: channels))
      }
      try writer.write(interleaved: samples.span)
      try writer.close()
      paths.append(path)
    }
    return paths
  }

  @Test(
    "A list of four rates, mono and stereo, plays without a stop, a gap or a click",
    arguments: ResamplerQuality.allCases, [44100, 48000])
  func continuousTone(_ quality: ResamplerQuality, _ rate: Int) throws {
    let directory = TemporaryDirectory()
    var configuration = PlayerConfiguration()
    configuration.resamplerQuality = quality
    let playback = OfflinePlayback(
      try makeTracks(in: directory), rate: Double(rate), channels: 2, configuration: configuration)
    playback.run(period: 64)
    #expect(playback.states.last == .ended)
    #expect(playback.player.control.counters.underruns == 0)
    // Every track has its exact length, without silence between tracks.
    let runs = zip([false] + playback.soundingFrames, playback.soundingFrames).count { !$0 && $1 }
    #expect(runs == 1)
    let sound = playback.sound
    #expect(sound[0].count == Self.tracks.count * rate)
    #expect(sound[0] == sound[1])
    // A resampler assumes silence before and after its track, where the tone's slope has a kink, so it rings at a join.
    // A click would be a step of the tone's amplitude, 0.5, or more.
    let error = sound[0].indices.map { frame in
      abs(sound[0][frame] - Float(0.5 * sin(2 * .pi * 1000 * Double(frame) / Double(rate))))
    }
    for track in 0..<Self.tracks.count {
      let inner = track * rate + rate / 10..<(track + 1) * rate - rate / 10
      #expect(error[inner].max()! < (quality == .fast ? 2e-4 : 2e-5))
    }
    #expect(error.max()! < 0.05)
  }
}
