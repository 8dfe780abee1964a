// SPDX-License-Identifier: MIT

internal import Glibc

/// A low-pass or high-pass of a higher order, made of first-order and second-order sections.
public enum FilterCascade: Hashable, Sendable {
  /// The flattest passband: −3.01 dB at the frequency. An order outside of 1 to 8 counts as the nearest
  /// limit.
  case butterworth(order: Int)
  /// Two equal Butterworth filters of half the order: −6.02 dB at the frequency. The low-pass and the
  /// high-pass of one frequency add up to a flat magnitude, with one of them inverted for orders 2 and
  /// 6. The order is 2, 4, 6 or 8: an odd one counts as the next even one, one outside of the range as
  /// the nearest limit.
  case linkwitzRiley(order: Int)

  /// Returns the sections of a low-pass.
  public func lowPass(frequencyHertz: Double) -> [EqualizerFilter] {
    sections(.lowPass, .lowPassFirstOrder, frequencyHertz)
  }

  /// Returns the sections of a high-pass.
  public func highPass(frequencyHertz: Double) -> [EqualizerFilter] {
    sections(.highPass, .highPassFirstOrder, frequencyHertz)
  }

  private func sections(
    _ second: EqualizerFilter.Kind, _ first: EqualizerFilter.Kind, _ frequencyHertz: Double
  ) -> [EqualizerFilter] {
    switch self {
    case .butterworth(let order):
      return Self.butterworth(min(max(1, order), 8), second, first, frequencyHertz)
    case .linkwitzRiley(let order):
      let half = Self.butterworth((min(max(1, order), 8) + 1) / 2, second, first, frequencyHertz)
      return half + half
    }
  }

  private static func butterworth(
    _ order: Int, _ second: EqualizerFilter.Kind, _ first: EqualizerFilter.Kind,
    _ frequencyHertz: Double
  ) -> [EqualizerFilter] {
    // The poles are on a half circle. Each pair at an angle from the imaginary axis is one section.
    let pairs = (0..<order / 2).map { pair in
      let angle = Double.pi * Double(2 * pair + 1) / Double(2 * order)
      return EqualizerFilter(
        second, frequencyHertz: frequencyHertz, width: .quality(1 / (2 * sin(angle))))
    }
    return order % 2 == 0
      ? pairs : pairs + [EqualizerFilter(first, frequencyHertz: frequencyHertz)]
  }
}
