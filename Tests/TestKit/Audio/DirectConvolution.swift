// SPDX-License-Identifier: MIT

import Glibc

// A direct convolution is a long sum; `scripts/test` optimises TestKit, not the tests.

/// Returns white noise between -1 and 1.
public func whiteNoise(_ frames: Int, seed: UInt64) -> [Float] {
  var random = SplitMix(state: seed)
  return (0..<frames).map { _ in Float.random(in: -1...1, using: &random) }
}

/// Returns the sum of products of a convolution at one frame, in double precision.
public func convolved(_ input: [Float], _ taps: [Float], at frame: Int) -> Double {
  var sum = 0.0
  for tap in max(0, frame - input.count + 1)..<max(0, min(taps.count, frame + 1)) {
    sum += Double(taps[tap]) * Double(input[frame - tap])
  }
  return sum
}

/// Returns the error of values against the exact ones, in decibels of the exact ones' RMS.
public func errorDecibels(_ values: [Float], _ exact: [Double]) -> Double {
  var (error, power) = (0.0, 0.0)
  for (value, exact) in zip(values, exact) {
    error += (Double(value) - exact) * (Double(value) - exact)
    power += exact * exact
  }
  return 10 * log10(max(error, 1e-300) / power)
}
