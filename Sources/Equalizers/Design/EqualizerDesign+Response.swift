// SPDX-License-Identifier: MIT

internal import Glibc

extension EqualizerDesign {
  /// Returns gain and phase from an input channel to an output channel.
  ///
  /// A graphic curve has its gain and no phase here, because the phase depends on how it is realised. A convolution
  /// counts as no change.
  ///
  /// - Parameters:
  ///   - frequencyHertz: The frequency, from 0 to half the sample rate.
  ///   - input: The input channel's index in the layout, from 0.
  ///   - output: The output channel's index in the layout, from 0.
  public func response(
    atHertz frequencyHertz: Double, from input: Int, to output: Int
  ) -> FrequencyResponse {
    precondition(
      (0..<outputCount).contains(input) && (0..<outputCount).contains(output), "no such channel")
    let matrix = ResponseMatrix(of: self, atHertz: frequencyHertz, withPreamp: true)
    var response = FrequencyResponse(matrix.rows[output][input])
    response.gainDecibels += matrix.scaleDecibels
    return response
  }

  /// Returns the gain in dB, 0 or less, that keeps the curve's peak at or below 0 dB, within 0.001 dB.
  ///
  /// Of an output that is a sum of channels, the peak is what inputs at full scale add up to.
  ///
  /// - Parameter keepsPreamp: Whether the result is added to the file's own `Preamp:` lines. Otherwise it replaces
  ///   them.
  public func automaticPreampDecibels(keepsPreamp: Bool = false) -> Double {
    let peakDecibels = peakGainDecibels(withPreamp: keepsPreamp)
    // A filter without boost may exceed 0 dB by rounding errors.
    return peakDecibels > 1e-6 ? -peakDecibels : 0
  }

  /// The gain in dB of what inputs at full scale add up to at a frequency, of the loudest output.
  private func gainDecibels(atHertz frequency: Double, withPreamp: Bool) -> Double {
    let matrix = ResponseMatrix(of: self, atHertz: frequency, withPreamp: withPreamp)
    let largest = matrix.rows[..<outputCount].map { row in
      row.reduce(0) { $0 + $1.magnitude }
    }.max()
    return Decibels.of(largest ?? 0) + matrix.scaleDecibels
  }

  private func peakGainDecibels(withPreamp: Bool) -> Double {
    let grid = grid()
    let gains = grid.map { gainDecibels(atHertz: $0, withPreamp: withPreamp) }
    let last = gains.count - 1
    var peak = gains.max() ?? -.infinity
    let candidates = gains.indices.filter { index in
      // No peak rises by 3 dB between points that are this close.
      gains[index] > peak - 3 && gains[index] >= gains[max(0, index - 1)]
        && gains[index] >= gains[min(last, index + 1)]
    }
    for index in candidates {
      let (low, high) = (grid[max(0, index - 1)], grid[min(last, index + 1)])
      peak = max(peak, refine(low, high, withPreamp: withPreamp))
    }
    return peak
  }

  /// The largest gain in dB between two frequencies, by golden sections.
  private func refine(_ low: Double, _ high: Double, withPreamp: Bool) -> Double {
    let ratio = (5.0.squareRoot() - 1) / 2
    var (low, high) = (low, high)
    var left = high - ratio * (high - low)
    var right = low + ratio * (high - low)
    var leftGain = gainDecibels(atHertz: left, withPreamp: withPreamp)
    var rightGain = gainDecibels(atHertz: right, withPreamp: withPreamp)
    var peak = max(leftGain, rightGain)
    // 40 sections make the interval 4·10⁻⁹ times as long.
    for _ in 0..<40 where high - low > 1e-9 * high {
      if leftGain < rightGain {
        low = left
        (left, leftGain) = (right, rightGain)
        right = low + ratio * (high - low)
        rightGain = gainDecibels(atHertz: right, withPreamp: withPreamp)
      } else {
        high = right
        (right, rightGain) = (left, leftGain)
        left = high - ratio * (high - low)
        leftGain = gainDecibels(atHertz: left, withPreamp: withPreamp)
      }
      peak = max(peak, leftGain, rightGain)
    }
    return peak
  }

  /// Frequencies from 0 to half the sample rate, ascending: 100 a decade, and where filters have their poles and
  /// graphic curves their points.
  private func grid() -> [Double] {
    let highest = sampleRate / 2
    var grid: Set<Double> = [0, highest]
    var frequency = min(1, highest)
    while frequency < highest {
      grid.insert(frequency)
      frequency *= 1.0233
    }
    for step in steps {
      switch step.operation {
      case .biquad(let section):
        guard let (center, width) = section.resonance(sampleRate: sampleRate) else { continue }
        for offset in [0, 0.25, 0.5, 1, 2, 4] {
          grid.insert(center + offset * width)
          grid.insert(center - offset * width)
        }
      case .graphic(let curve): grid.formUnion(curve.points.map(\.frequencyHertz))
      case .transferFunction:
        for index in 1..<4096 { grid.insert(highest * Double(index) / 4096) }
      default: continue
      }
    }
    return grid.filter { $0 >= 0 && $0 <= highest }.sorted()
  }
}

extension BiquadCoefficients {
  /// The frequency in Hz of complex poles, and the width in Hz of the resonance there; nil for real poles.
  fileprivate func resonance(sampleRate: Double) -> (center: Double, width: Double)? {
    guard a2 > 0, a1 * a1 < 4 * a2 else { return nil }
    let radius = a2.squareRoot()
    let center = acos(-a1 / (2 * radius)) / (2 * .pi) * sampleRate
    return (center, (1 - radius) / .pi * sampleRate)
  }
}
