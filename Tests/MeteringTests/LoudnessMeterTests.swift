// SPDX-License-Identifier: MIT

import AudioModel
import Glibc
import Metering
import Testing

@Suite("A loudness meter")
struct LoudnessMeterTests {
  private func sine(amplitude: Double, frames: Int, channels: Int) -> [Float] {
    let step: Double = 2 * .pi * 1000 / 48000
    return (0..<frames).flatMap { (frame: Int) -> [Float] in
      Array(repeating: Float(amplitude * sin(step * Double(frame))), count: channels)
    }
  }

  private func loudness(of samples: [Float], channels: Int) throws -> Loudness {
    guard var meter = LoudnessMeter(sampleRate: 48000, channelCount: channels) else {
      throw NoLibrary()
    }
    for start in stride(from: 0, to: samples.count, by: 256 * channels) {
      let end = min(start + 256 * channels, samples.count)
      meter.add(interleaved: samples.span.extracting(start..<end))
    }
    return meter.loudness
  }

  private struct NoLibrary: Error {}

  // EBU Tech 3341, minimum requirements test 1 and 2: 1 kHz in both channels, tolerance 0.1 LU.
  @Test("reads the levels required by EBU Tech 3341", arguments: [-23.0, -33])
  func reference(_ decibels: Double) throws {
    let samples = sine(amplitude: pow(10, decibels / 20), frames: 20 * 48000, channels: 2)
    let loudness = try loudness(of: samples, channels: 2)
    for value in [loudness.momentary, loudness.shortTerm, loudness.integrated] {
      #expect(abs((value ?? 0) - decibels) < 0.1)
    }
  }

  @Test("counts one channel as two loudspeakers")
  func mono() throws {
    let samples = sine(amplitude: pow(10, -23.0 / 20), frames: 5 * 48000, channels: 1)
    let loudness = try loudness(of: samples, channels: 1)
    #expect(abs((loudness.integrated ?? 0) + 23) < 0.1)
  }

  @Test("has no reading for silence, and ignores NaN")
  func silence() throws {
    let nothing = try loudness(of: [Float](repeating: 0, count: 96000), channels: 2)
    #expect(nothing == Loudness())
    var samples = sine(amplitude: 0.1, frames: 4 * 48000, channels: 2)
    samples[1000] = .nan
    samples[1001] = .infinity
    let loudness = try loudness(of: samples, channels: 2)
    #expect(loudness.momentary?.isFinite == true)
    #expect(loudness.integrated?.isFinite == true)
  }
}
