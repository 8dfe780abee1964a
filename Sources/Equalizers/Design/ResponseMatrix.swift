// SPDX-License-Identifier: MIT

/// The factor of each channel (row) for each input (column) at one frequency.
struct ResponseMatrix {
  private(set) var rows: [[Complex]]
  /// A gain in dB that applies to all factors and keeps them finite.
  private(set) var scaleDecibels = 0.0
  /// An upper bound of all factors.
  private var bound = 1.0

  init(of design: EqualizerDesign, atHertz frequency: Double, withPreamp: Bool) {
    let inputCount = design.outputCount
    rows = [[Complex]](
      repeating: [Complex](repeating: .zero, count: inputCount), count: design.channelCount)
    for channel in 0..<inputCount { rows[channel][channel] = .one }
    let angle = -2 * .pi * frequency / design.sampleRate
    let inverse = Complex(angle: angle)
    for step in design.steps {
      switch step.operation {
      case .preamp(let gain):
        if withPreamp { multiply(step.channels, by: Complex(gain)) }
      case .biquad(let section): multiply(step.channels, by: section.transfer(inverse))
      case .transferFunction(let function):
        multiply(step.channels, by: function.transfer(inverse))
      case .graphic(let curve):
        let gain = curve.gainDecibels(atHertz: frequency)
        multiply(step.channels, by: Complex(Decibels.linear(gain)))
      case .delay(let frames): multiply(step.channels, by: Complex(angle: angle * frames))
      case .convolution: continue
      case .mix(let assignments): mix(assignments)
      }
    }
  }

  /// Returns the gain in dB of an output: the sum of the magnitudes from all inputs.
  func gainDecibels(ofOutput output: Int) -> Double {
    Decibels.of(rows[output].reduce(0) { $0 + $1.magnitude }) + scaleDecibels
  }

  private mutating func multiply(_ channels: [Int], by factor: Complex) {
    grow(by: max(1, factor.magnitude))
    for channel in channels {
      for input in rows[channel].indices { rows[channel][input] = rows[channel][input] * factor }
    }
  }

  private mutating func mix(_ assignments: [EqualizerDesign.Row]) {
    grow(by: assignments.map { $0.summands.reduce(1) { $0 + abs($1.factor) } }.max() ?? 1)
    let before = rows
    for assignment in assignments {
      var sum = [Complex](repeating: .zero, count: rows[assignment.target].count)
      for summand in assignment.summands {
        for input in sum.indices {
          sum[input] = sum[input] + before[summand.source][input] * summand.factor
        }
      }
      rows[assignment.target] = sum
    }
  }

  /// Rescales factors that become too large: a thousand steps of 120 dB exceed a `Double`.
  private mutating func grow(by factor: Double) {
    if bound * factor > 1e200 {
      let largest = rows.joined().map(\.magnitude).max() ?? 0
      if largest > 1 {
        for channel in rows.indices {
          for input in rows[channel].indices {
            rows[channel][input] = rows[channel][input] * (1 / largest)
          }
        }
        scaleDecibels += Decibels.of(largest)
      }
      bound = 1
    }
    bound *= factor
  }
}
