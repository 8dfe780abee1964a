// SPDX-License-Identifier: MIT

import Glibc

/// A tone that begins at its crest. `scripts/test` optimises TestKit, not the tests.
public struct CosineTone {
  private let step: Double

  /// A tone of a frequency, at a sample rate.
  public init(hertz: Double, sampleRate: Double) { step = 2 * Double.pi * hertz / sampleRate }

  /// Returns the first frames.
  public func samples(_ frames: Int, amplitude: Double) -> [Float] {
    (0..<frames).map { Float(amplitude * cos(step * Double($0))) }
  }
}

extension [Double] {
  /// Adds samples, multiplied by a factor.
  public mutating func add(_ samples: [Float], times factor: Double) {
    for index in indices { self[index] += Double(samples[index]) * factor }
  }
}
