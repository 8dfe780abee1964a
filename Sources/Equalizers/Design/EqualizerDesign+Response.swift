// SPDX-License-Identifier: MIT

internal import AudioModel
internal import Glibc

extension EqualizerDesign {
  /// The largest gain of an output channel.
  public struct Peak: Hashable, Sendable {
    /// The gain in dB; minus infinity for a silent channel.
    public var gainDecibels: Double
    /// The frequency in Hz; the lowest one of a flat maximum.
    public var frequencyHertz: Double
  }

  /// Returns gain and phase from an input channel to an output channel.
  ///
  /// A graphic curve counts with its gain and no phase, because its phase depends on the realisation. A
  /// convolution counts as no change.
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
  /// The gain of an output that is a sum of channels is the sum of the magnitudes from all inputs.
  ///
  /// - Parameter keepsPreamp: Whether the result is added to the file's own `Preamp:` lines. Otherwise it replaces
  ///   them.
  public func automaticPreampDecibels(keepsPreamp: Bool = false) -> Double {
    let peakDecibels = peakGainDecibels(withPreamp: keepsPreamp)
    // A filter without boost may exceed 0 dB by rounding errors.
    return peakDecibels > 1e-6 ? -peakDecibels : 0
  }

  /// Returns the responses of the output channels: for each frequency, one for each channel.
  ///
  /// The gain of an output that is a sum of channels is the sum of the magnitudes from all inputs. The phase is that
  /// from the input channel of the same index. Graphic curves and convolutions count as in
  /// ``response(atHertz:from:to:)``.
  ///
  /// - Parameter frequenciesHertz: The frequencies, from 0 to half the sample rate.
  public func outputResponses(atHertz frequenciesHertz: [Double]) -> [[FrequencyResponse]] {
    var responses = [[FrequencyResponse]](
      repeating: .init(
        repeating: FrequencyResponse(gainDecibels: 0, phaseRadians: 0), count: outputCount),
      count: frequenciesHertz.count)
    for part in parts() {
      for (index, frequency) in frequenciesHertz.enumerated() {
        let matrix = ResponseMatrix(of: part.design, atHertz: frequency, withPreamp: true)
        for (output, row) in part.outputs {
          responses[index][output] = FrequencyResponse(
            gainDecibels: matrix.gainDecibels(ofOutput: row),
            phaseRadians: matrix.rows[row][row].angle)
        }
      }
    }
    return responses
  }

  /// Returns the peak of each output channel from 0 Hz to half the sample rate, within 0.001 dB.
  ///
  /// The gain of an output that is a sum of channels is the sum of the magnitudes from all inputs.
  public func outputPeaks() -> [Peak] {
    var peaks = [Peak](
      repeating: Peak(gainDecibels: -.infinity, frequencyHertz: 0), count: outputCount)
    for part in parts() {
      let grid = part.design.grid()
      let gains = grid.map { part.design.gainsDecibels(atHertz: $0, withPreamp: true) }
      let found = (0..<part.design.outputCount).map { row in
        part.design.peak(of: gains.map { $0[row] }, on: grid) {
          part.design.gainsDecibels(atHertz: $0, withPreamp: true)[row]
        }
      }
      for (output, row) in part.outputs { peaks[output] = found[row] }
    }
    return peaks
  }

  private func peakGainDecibels(withPreamp: Bool) -> Double {
    let peaks = parts().map { part in
      let loudest = { (frequency: Double) in
        part.design.gainsDecibels(atHertz: frequency, withPreamp: withPreamp).max() ?? -.infinity
      }
      let grid = part.design.grid()
      return part.design.peak(of: grid.map(loudest), on: grid, loudest).gainDecibels
    }
    return peaks.max() ?? -.infinity
  }

  /// Returns parts of the design with independent channels, and the row in the part for each output.
  ///
  /// If no step mixes channels, all outputs with the same steps are one part of one channel, so that 64
  /// equal channels take as long as one. Otherwise the only part is the whole design.
  private func parts() -> [(design: EqualizerDesign, outputs: [(output: Int, row: Int)])] {
    if isMixed { return [(self, (0..<outputCount).map { ($0, $0) })] }
    var groups: [[Int]: [(output: Int, row: Int)]] = [:]
    for output in 0..<outputCount {
      let own = steps.indices.filter { steps[$0].channels.contains(output) }
      groups[own, default: []].append((output, 0))
    }
    return groups.map { own, outputs in
      let ownSteps = own.map { index in
        var step = steps[index]
        step.channels = [0]
        return step
      }
      let design = EqualizerDesign(
        sampleRate: sampleRate, outputCount: 1, channelCount: 1, steps: ownSteps,
        missingChannels: [])
      return (design, outputs)
    }
  }

  /// True if a step adds channels to others.
  public var isMixed: Bool {
    steps.contains { if case .mix = $0.operation { true } else { false } }
  }

  /// Returns the gain in dB of each output at a frequency: the sum of the magnitudes from all inputs.
  private func gainsDecibels(atHertz frequency: Double, withPreamp: Bool) -> [Double] {
    let matrix = ResponseMatrix(of: self, atHertz: frequency, withPreamp: withPreamp)
    return (0..<outputCount).map { matrix.gainDecibels(ofOutput: $0) }
  }

  /// Returns the peak of a gain that is known on a grid.
  private func peak(of gains: [Double], on grid: [Double], _ gain: (Double) -> Double) -> Peak {
    let last = gains.count - 1
    let highest = gains.max() ?? -.infinity
    var peak = Peak(gainDecibels: highest, frequencyHertz: 0)
    let candidates = gains.indices.filter { index in
      // Between points this close no gain rises by 3 dB.
      gains[index] > highest - 3 && gains[index] >= gains[max(0, index - 1)]
        && gains[index] >= gains[min(last, index + 1)]
    }
    for index in candidates {
      let (low, high) = (grid[max(0, index - 1)], grid[min(last, index + 1)])
      let refined = refine(low, high, gain)
      if refined.gainDecibels > peak.gainDecibels { peak = refined }
    }
    // On a flat maximum the lowest frequency counts, regardless of rounding errors.
    if let index = gains.firstIndex(where: { $0 >= peak.gainDecibels - 1e-6 }) {
      peak.frequencyHertz = grid[index]
    }
    return peak
  }

  /// Returns the largest gain between two frequencies, by golden-section search.
  private func refine(_ low: Double, _ high: Double, _ gain: (Double) -> Double) -> Peak {
    let ratio = (5.0.squareRoot() - 1) / 2
    var (low, high) = (low, high)
    var left = high - ratio * (high - low)
    var right = low + ratio * (high - low)
    var leftGain = gain(left)
    var rightGain = gain(right)
    var peak =
      leftGain < rightGain
      ? Peak(gainDecibels: rightGain, frequencyHertz: right)
      : Peak(gainDecibels: leftGain, frequencyHertz: left)
    // 40 sections reduce the interval to 4·10⁻⁹ of its length.
    for _ in 0..<40 where high - low > 1e-9 * high {
      if leftGain < rightGain {
        low = left
        (left, leftGain) = (right, rightGain)
        right = low + ratio * (high - low)
        rightGain = gain(right)
      } else {
        high = right
        (right, rightGain) = (left, leftGain)
        left = high - ratio * (high - low)
        leftGain = gain(left)
      }
      if leftGain > peak.gainDecibels { peak = Peak(gainDecibels: leftGain, frequencyHertz: left) }
      if rightGain > peak.gainDecibels {
        peak = Peak(gainDecibels: rightGain, frequencyHertz: right)
      }
    }
    return peak
  }

  /// Returns frequencies from 0 to half the sample rate, ascending: 100 a decade, the poles of filters
  /// and the points of graphic curves.
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
  /// Returns the frequency in Hz of complex poles, and the width in Hz of their resonance; nil for real
  /// poles.
  fileprivate func resonance(sampleRate: Double) -> (center: Double, width: Double)? {
    guard a2 > 0, a1 * a1 < 4 * a2 else { return nil }
    let radius = a2.squareRoot()
    let center = acos(-a1 / (2 * radius)) / (2 * .pi) * sampleRate
    return (center, (1 - radius) / .pi * sampleRate)
  }
}
