// SPDX-License-Identifier: MIT

import Glibc

@testable import RenderCore

/// Passes whole signals of one channel through resamplers.
enum Resampling {
  /// Resamples a signal, with input pieces of one size and output pieces of another.
  static func run(
    _ input: [Float], from inputRate: Int, to outputRate: Int, quality: ResamplerQuality = .good,
    inputPiece: Int = 331, outputPiece: Int = 256
  ) throws -> [Float] {
    var resampler = try Resampler(
      inputRate: inputRate, outputRate: outputRate, channels: 1, quality: quality)
    var result: [Float] = []
    var scratch = [Float](repeating: 0, count: outputPiece)
    var place = 0
    while place < input.count {
      let count = min(inputPiece, input.count - place)
      let (taken, given) = unsafe input.withUnsafeBufferPointer { buffer in
        unsafe resampler.process(
          buffer.baseAddress! + place, inputCount: count, into: &scratch, outputCount: outputPiece)
      }
      place += taken
      result.append(contentsOf: scratch[..<given])
    }
    while true {
      let (samples, given) = unsafe resampler.drain(outputPiece)
      if given == 0 { return result }
      unsafe result.append(contentsOf: UnsafeBufferPointer(start: samples, count: given))
    }
  }
}

/// The tone of a known frequency in a signal, by least squares, and what is left without it.
struct SineFit {
  /// The tone's level, 0 at an amplitude of 1.
  let decibels: Double
  /// The tone's power over that of everything else.
  let signalToNoise: Double

  init(_ samples: ArraySlice<Float>, frequency: Double, rate: Int) {
    let step = 2 * .pi * frequency / Double(rate)
    // The normal equations of a·sin + b·cos.
    var (ss, sc, cc, xs, xc) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for (index, sample) in samples.enumerated() {
      let (s, c) = (sin(step * Double(index)), cos(step * Double(index)))
      (ss, sc, cc) = (ss + s * s, sc + s * c, cc + c * c)
      (xs, xc) = (xs + Double(sample) * s, xc + Double(sample) * c)
    }
    let determinant = ss * cc - sc * sc
    let a = (xs * cc - xc * sc) / determinant
    let b = (xc * ss - xs * sc) / determinant
    var rest = 1e-30
    for (index, sample) in samples.enumerated() {
      let fitted = a * sin(step * Double(index)) + b * cos(step * Double(index))
      rest += (Double(sample) - fitted) * (Double(sample) - fitted)
    }
    let power = (a * a + b * b) / 2
    decibels = 10 * log10(a * a + b * b)
    signalToNoise = 10 * log10(power * Double(samples.count) / rest)
  }
}
