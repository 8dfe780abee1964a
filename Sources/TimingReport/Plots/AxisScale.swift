// SPDX-License-Identifier: MIT

internal import Glibc

/// Where values lie on an axis, and which of them are marked there.
package struct AxisScale {
  /// A value that is marked; one without a label has a fainter line only.
  package struct Tick: Equatable {
    package var value: Double
    package var isLabelled: Bool
  }

  let lower: Double
  let upper: Double
  let isLogarithmic: Bool

  /// An even axis between two values. It has a length in any case.
  package static func linear(from lower: Double, to upper: Double) -> AxisScale {
    let from = lower.isFinite ? lower : 0
    let to = upper.isFinite && upper > from ? upper : from + 1
    // Beside a huge number 1 is nothing.
    return AxisScale(
      lower: from, upper: to > from ? to : from + from.magnitude, isLogarithmic: false)
  }

  /// A logarithmic axis between two values above 0. It spans a factor of 5 at least, to both
  /// sides of what is to be shown.
  package static func logarithmic(from lower: Double, to upper: Double) -> AxisScale {
    // The quotient of what is outside of these might be no number.
    let possible = 1e-100...1e100
    let from = possible.contains(lower) ? lower : 1
    let to = possible.contains(upper) ? upper : from
    guard to < from * 5 else { return AxisScale(lower: from, upper: to, isLogarithmic: true) }
    let middle = to > from ? sqrt(from * to) : from
    return AxisScale(lower: middle / sqrt(5), upper: middle * sqrt(5), isLogarithmic: true)
  }

  /// A logarithmic axis that shows all of these, its ends being 1, 2 or 5 of a decade. What is less than
  /// the floor is taken for the floor.
  static func logarithmic(covering values: [Double], atLeast floor: Double) -> AxisScale {
    let shown = values.filter(\.isFinite).map { $0 < floor ? floor : $0 }
    let least = shown.min() ?? floor
    let greatest = shown.max() ?? floor
    return logarithmic(from: round(least, isUp: false), to: round(greatest, isUp: true))
  }

  /// Where a value lies: 0 to 1. What is outside lies at the nearer end.
  func position(_ value: Double) -> Double {
    if value.isNaN { return 0 }
    let part =
      isLogarithmic
      ? (value > 0 ? log10(value / lower) / log10(upper / lower) : 0)
      : (value - lower) / (upper - lower)
    return part < 0 || part.isNaN ? 0 : part > 1 ? 1 : part
  }

  /// Marked values, the least first. Never more than some seventy.
  package func ticks() -> [Tick] {
    isLogarithmic ? logarithmicTicks() : linearTicks(atMost: 9)
  }

  /// Multiples of 1, 2 or 5 of a decade.
  private func linearTicks(atMost count: Int) -> [Tick] {
    let step = Self.niceStep((upper - lower) / Double(count))
    guard step.isFinite, step > 0 else { return [] }
    let first = (lower / step).rounded(.up)
    // Thousandths: so that an end that is itself a multiple is marked.
    let last = (upper / step + 0.001).rounded(.down)
    guard last - first < 50 else { return [] }
    return (0...Int(max(0, last - first))).map {
      Tick(value: (first + Double($0)) * step, isLabelled: true)
    }
  }

  /// Decades; between them also 2 and 5 when there are few.
  private func logarithmicTicks() -> [Tick] {
    let decades = log10(upper / lower)
    let labelledEvery = Int((decades / 9).rounded(.up))
    var ticks: [Tick] = []
    let first = Int(log10(lower).rounded(.down))
    let last = Int(log10(upper).rounded(.up))
    for exponent in first...max(first, last) {
      let decade = pow(10, Double(exponent))
      let multiples = decades <= 6 ? [1, 2, 3, 4, 5, 6, 7, 8, 9] : [1.0]
      for multiple in multiples {
        let value = decade * multiple
        guard value >= lower * 0.9999, value <= upper * 1.0001 else { continue }
        let isLabelled =
          multiple == 1
          ? exponent.isMultiple(of: labelledEvery)
          : decades <= 2 && (multiple == 2 || multiple == 5)
        ticks.append(Tick(value: value, isLabelled: isLabelled))
      }
    }
    return ticks
  }

  /// The least of 1, 2 and 5 of a decade that is not below.
  static func niceStep(_ value: Double) -> Double {
    value > 0 && value.isFinite ? round(value, isUp: true) : 0
  }

  private static func round(_ value: Double, isUp: Bool) -> Double {
    let decade = pow(10, log10(value).rounded(.down))
    let part = value / decade
    let steps = [1.0, 2, 5, 10]
    // A value that is one of them, but for its last digits, is itself.
    return decade
      * (isUp
        ? steps.first { $0 >= part * 0.9999 } ?? 10 : steps.last { $0 <= part * 1.0001 } ?? 1)
  }
}
