// SPDX-License-Identifier: MIT

internal import Glibc

/// A resampler's effect on the sound, measured on its output in double precision.
struct ResamplerQualityFigures {
  /// Power of a 997 Hz tone over that of everything else, in decibels.
  private(set) var signalToNoise = 0.0
  /// The strongest frequency that is not in the input, relative to its tone, in decibels: images, aliases and
  /// errors of a filter's table. Tones within 5 % of the band's end are left out.
  private(set) var alias = 0.0
  /// The same for tones within 5 % of the band's end, in a filter's slope: below the end when the rate is
  /// raised, above it when it is lowered.
  private(set) var edgeAlias = 0.0
  /// The largest deviation of a tone's level up to 20/22.05 of the band, in decibels.
  private(set) var ripple = 0.0
  /// The largest number of output frames due for the consumed input but not written yet.
  private(set) var latencyFrames = 0.0
  /// The delay of the sound in output frames: the part of the latency that the resampler does not
  /// compensate itself.
  private(set) var offsetFrames = 0.0

  /// The amplitude of every input tone: -1 dBFS.
  private static let amplitude = pow(10, -1.0 / 20)
  private static let analysedFrames = 1 << 14
  private static let passBand = 20 / 22.05

  init(_ contender: ResamplerContender, _ rates: ResamplerRates) throws(BenchmarkFailure) {
    let band = rates.bandEnd
    signalToNoise = try Self.fit(997, contender, rates).signalToNoise
    var aliases: [Double] = []
    for frequency in Self.spread(from: 20, to: Self.passBand * band, count: 24) {
      let fit = try Self.fit(frequency, contender, rates)
      ripple = max(ripple, abs(Self.decibels(fit.amplitude)))
      aliases.append(Self.decibels(Spectrum(fit.rest).peak))
    }
    var edgeAliases: [Double] = []
    if rates.ratio > 1 {
      for frequency in Self.spread(from: Self.passBand * band, to: 0.95 * band, count: 4) {
        aliases.append(Self.decibels(Spectrum(try Self.fit(frequency, contender, rates).rest).peak))
      }
      for frequency in Self.spread(from: 0.95 * band, to: 0.995 * band, count: 8) {
        edgeAliases.append(
          Self.decibels(Spectrum(try Self.fit(frequency, contender, rates).rest).peak))
      }
    } else {
      let inputBand = Double(rates.input) / 2
      for frequency in Self.spread(from: 1.05 * band, to: 0.99 * inputBand, count: 16) {
        aliases.append(try Self.whole(frequency, contender, rates))
      }
      for frequency in Self.spread(from: 1.005 * band, to: 1.05 * band, count: 8) {
        edgeAliases.append(try Self.whole(frequency, contender, rates))
      }
    }
    alias = aliases.max() ?? 0
    edgeAlias = edgeAliases.max() ?? 0
    offsetFrames = try Self.offset(contender, rates)
    latencyFrames = try Self.pending(contender, rates) + offsetFrames
  }

  /// Frequencies in a range, none of them a simple fraction of a rate, at which an image can fall on the tone.
  private static func spread(from low: Double, to high: Double, count: Int) -> [Double] {
    (0..<count).map { (low + (high - low) * Double($0) / Double(count - 1)).rounded(.down) + 0.37 }
  }

  /// An amplitude relative to the input tone, in decibels.
  private static func decibels(_ amplitude: Double) -> Double {
    20 * log10(amplitude / Self.amplitude)
  }

  /// The middle of the output for a tone of one second, away from the ringing at both ends.
  private static func tone(
    _ frequency: Double, _ contender: ResamplerContender, _ rates: ResamplerRates
  ) throws(BenchmarkFailure) -> ArraySlice<Float> {
    let step = 2 * Double.pi * frequency / Double(rates.input)
    let input = (0..<rates.input).map { Float(amplitude * sin(step * Double($0))) }
    let output = try convert(input, contender, rates)
    let start = (output.count - analysedFrames) / 2
    return output[start..<start + analysedFrames]
  }

  private static func fit(
    _ frequency: Double, _ contender: ResamplerContender, _ rates: ResamplerRates
  ) throws(BenchmarkFailure) -> ToneFit {
    ToneFit(
      try tone(frequency, contender, rates), frequency: frequency / Double(rates.output))
  }

  /// The level of the residue of a tone that the output's rate cannot represent.
  private static func whole(
    _ frequency: Double, _ contender: ResamplerContender, _ rates: ResamplerRates
  ) throws(BenchmarkFailure) -> Double {
    decibels(Spectrum(try tone(frequency, contender, rates).map { Double($0) }).peak)
  }

  /// The offset of a soft pulse's centroid from its ideal position, in output frames.
  private static func offset(
    _ contender: ResamplerContender, _ rates: ResamplerRates
  ) throws(BenchmarkFailure) -> Double {
    let place = rates.input / 4
    let width = 8 * Double(rates.input) / (2 * rates.bandEnd)
    let input = (0..<rates.input / 2).map { frame in
      let distance = Double(frame - place) / width
      return Float(amplitude * exp(-distance * distance / 2))
    }
    let output = try convert(input, contender, rates)
    let ideal = Double(place) * rates.ratio
    let reach = Int(300 * Double(rates.output) / (2 * rates.bandEnd))
    var (sum, moment) = (0.0, 0.0)
    for frame in Int(ideal) - reach...Int(ideal) + reach {
      sum += Double(output[frame])
      moment += Double(output[frame]) * (Double(frame) - ideal)
    }
    return moment / sum
  }

  /// The largest number of output frames pending when more input is consumed, over two seconds, one input
  /// frame at a time.
  private static func pending(
    _ contender: ResamplerContender, _ rates: ResamplerRates
  ) throws(BenchmarkFailure) -> Double {
    let resampler = try contender.make(rates, 1)
    var scratch = [Float](repeating: 0, count: 256)
    let input: [Float] = [0.25]
    var (taken, given, most) = (0, 0, 0.0)
    while taken < 2 * rates.input {
      let step = unsafe resampler.process(
        input, inputCount: 1, into: &scratch, outputCount: scratch.count)
      if step.taken > 0 { most = max(most, Double(taken) * rates.ratio - Double(given)) }
      taken += step.taken
      given += step.given
      guard step.taken + step.given > 0 else {
        throw BenchmarkFailure("\(contender.name) stops at \(rates)")
      }
    }
    return most
  }

  /// Converts the input, followed by silence, to the corresponding number of output frames.
  private static func convert(
    _ input: [Float], _ contender: ResamplerContender, _ rates: ResamplerRates
  ) throws(BenchmarkFailure) -> [Float] {
    let resampler = try contender.make(rates, 1)
    let silence = [Float](repeating: 0, count: 512)
    var output = [Float](repeating: 0, count: Int(Double(input.count) * rates.ratio))
    var (taken, given) = (0, 0)
    while given < output.count {
      let isOver = taken >= input.count
      let step = unsafe (isOver ? silence : input).withUnsafeBufferPointer { input in
        let start = isOver ? 0 : taken
        return unsafe output.withUnsafeMutableBufferPointer { output in
          unsafe resampler.process(
            input.baseAddress! + start, inputCount: min(512, input.count - start),
            into: output.baseAddress! + given, outputCount: min(256, output.count - given))
        }
      }
      taken += step.taken
      given += step.given
      guard step.taken + step.given > 0 else {
        throw BenchmarkFailure("\(contender.name) stops at \(rates)")
      }
    }
    return output
  }
}
