// SPDX-License-Identifier: MIT

import Glibc
import Testing

@testable import RenderCore

/// Measures of "transparent", taken from the output samples.
@Suite("Resampler quality")
struct ResamplerQualityTests {
  private static let level = pow(10, -1.0 / 20)

  /// Returns half a second of a tone.
  private func tone(_ frequency: Double, rate: Int) -> [Float] {
    (0..<rate / 2).map {
      Float(Self.level * sin(2 * .pi * frequency * Double($0) / Double(rate)))
    }
  }

  /// Returns a linear sweep of a second, faded over a twentieth at each end, so that the ends add no other frequency.
  private func sweep(from low: Double, to high: Double, rate: Int) -> [Float] {
    let fade = rate / 20
    return (0..<rate).map { frame in
      let time = Double(frame) / Double(rate)
      let edge = min(1, Double(min(frame, rate - 1 - frame)) / Double(fade))
      let window = 0.5 - 0.5 * cos(.pi * edge)
      return Float(
        Self.level * window * sin(2 * .pi * (low * time + (high - low) * time * time / 2)))
    }
  }

  /// Returns the middle half, which is free of ringing from the ends.
  private func middle(_ samples: [Float]) -> ArraySlice<Float> {
    samples[samples.count / 4..<3 * samples.count / 4]
  }

  @Test(
    "A 997 Hz tone at -1 dBFS keeps its signal to noise ratio",
    arguments: [
      (ResamplerQuality.fast, 95.0), (.good, 120), (.best, 140),
    ],
    [(44100, 48000), (48000, 44100), (96000, 48000), (22050, 48000), (8000, 48000)])
  func signalToNoise(_ floor: (ResamplerQuality, Double), _ rates: (Int, Int)) throws {
    let result = try Resampling.run(
      tone(997, rate: rates.0), from: rates.0, to: rates.1, quality: floor.0)
    let fit = SineFit(middle(result), frequency: 997, rate: rates.1)
    #expect(fit.signalToNoise > floor.1)
    #expect(abs(fit.decibels + 1) < 0.001)
  }

  @Test(
    "Sound above half of the lower rate is removed: 110 dB at good, beyond the band's edge at fast",
    arguments: ResamplerQuality.allCases, [(48000, 44100), (96000, 48000), (48000, 22050)])
  func aliases(_ quality: ResamplerQuality, _ rates: (Int, Int)) throws {
    let input = sweep(from: Double(rates.1) / 2, to: 0.99 * Double(rates.0) / 2, rate: rates.0)
    let result = try Resampling.run(input, from: rates.0, to: rates.1, quality: quality)
    let rejection = 10 * log10(power(result[...]) / power(input[...]))
    #expect(rejection < (quality == .fast ? -95 : -110))
  }

  @Test(
    "Raising the rate makes no image of the band above half of the input's rate",
    arguments: ResamplerQuality.allCases, [(44100, 48000), (22050, 48000), (8000, 48000)])
  func images(_ quality: ResamplerQuality, _ rates: (Int, Int)) throws {
    // The images of a tone at f lie at n·rate ± f. Tones go up to 95 % of the band: the last 5 % is the filter's own
    // slope, which mirrors its end onto the first frequencies above.
    let half = Double(rates.0) / 2
    for share in [0.25, 0.5, 0.66, 0.9, 0.95] where quality != .fast || share < 0.7 {
      let frequency = (share * half).rounded(.down)
      let result = try Resampling.run(
        tone(frequency, rate: rates.0), from: rates.0, to: rates.1, quality: quality)
      let fit = SineFit(middle(result), frequency: frequency, rate: rates.1)
      // Everything that is not the tone: the images, the aliases and the noise.
      #expect(fit.signalToNoise > (quality == .fast ? 95 : 110))
    }
  }

  @Test(
    "The pass band is flat to 20 kHz within 0.05 dB", arguments: [ResamplerQuality.good, .best])
  func ripple(_ quality: ResamplerQuality) throws {
    var levels: [Double] = []
    for frequency in [20.0, 100, 997, 5003, 10007, 15013, 17011, 18013, 19001, 19501, 20000] {
      let result = try Resampling.run(
        tone(frequency, rate: 44100), from: 44100, to: 48000, quality: quality)
      levels.append(SineFit(middle(result), frequency: frequency, rate: 48000).decibels)
    }
    #expect(levels.max()! - levels.min()! < 0.05)
  }

  @Test(
    "An impulse keeps its time, within half a frame of the lower rate",
    arguments: ResamplerQuality.allCases,
    [
      (44100, 48000), (48000, 44100), (96000, 48000), (22050, 48000), (8000, 48000),
      (44100, 47999), (8000, 192_000), (192_000, 8000),
    ])
  func latency(_ quality: ResamplerQuality, _ rates: (Int, Int)) throws {
    for place in [0, 1, 1234] {
      var input = [Float](repeating: 0, count: 2000)
      input[place] = 1
      let result = try Resampling.run(input, from: rates.0, to: rates.1, quality: quality)
      let peak = result.indices.max { abs(result[$0]) < abs(result[$1]) }!
      let ideal = Double(place) * Double(rates.1) / Double(rates.0)
      #expect(abs(Double(peak) - ideal) <= 0.5 * max(1, Double(rates.1) / Double(rates.0)))
    }
  }

  @Test(
    "Every quality produces exactly the frames that the rates require, at odd ratios too",
    arguments: ResamplerQuality.allCases,
    [
      (44100, 47999), (44101, 44100), (11025, 192_000), (192_000, 11025), (7999, 48000),
      (1000, 768_000), (768_000, 1000), (384_000, 44100),
    ])
  func length(_ quality: ResamplerQuality, _ rates: (Int, Int)) throws {
    for frames in [1, 77] {
      let input = [Float](repeating: 0.25, count: frames)
      let result = try Resampling.run(input, from: rates.0, to: rates.1, quality: quality)
      #expect(result.count == (frames * rates.1 + rates.0 / 2) / rates.0)
    }
  }

  @Test(
    "A ratio that would take memory without bound is refused",
    arguments: [(1, 48000), (999_999, 1)])
  func refusal(_ rates: (Int, Int)) {
    #expect(throws: AudioConverterError.self) {
      _ = try Resampling.run([0], from: rates.0, to: rates.1, quality: .good)
    }
  }

  private func power(_ samples: ArraySlice<Float>) -> Double {
    samples.reduce(1e-30) { $0 + Double($1) * Double($1) } / Double(samples.count)
  }
}
