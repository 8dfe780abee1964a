// SPDX-License-Identifier: MIT

internal import Glibc

/// An axis: the positions of values, and the values that are marked.
package struct AxisScale {
  /// A marked value. Without a label it has only a fainter line.
  package struct Tick: Equatable {
    package var value: Double
    package var isLabelled: Bool
  }

  let lower: Double
  let upper: Double
  let isLogarithmic: Bool

  /// Returns an even axis between two values. Its length is never 0.
  package static func linear(from lower: Double, to upper: Double) -> AxisScale {
    let from = lower.isFinite ? lower : 0
    let to = upper.isFinite && upper > from ? upper : from + 1
    // Beside a huge number 1 is lost in rounding.
    return AxisScale(
      lower: from, upper: to > from ? to : from + from.magnitude, isLogarithmic: false)
  }

  /// Returns a logarithmic axis between two values above 0. If they span less than a factor of 5, it is extended to
  /// both sides.
  package static func logarithmic(from lower: Double, to upper: Double) -> AxisScale {
    // The quotient of values outside of this range might be no number.
    let possible = 1e-100...1e100
    let from = possible.contains(lower) ? lower : 1
    let to = possible.contains(upper) ? upper : from
    guard to < from * 5 else { return AxisScale(lower: from, upper: to, isLogarithmic: true) }
    let middle = to > from ? sqrt(from * to) : from
    return AxisScale(lower: middle / sqrt(5), upper: middle * sqrt(5), isLogarithmic: true)
  }

  /// Returns a logarithmic axis that shows all of these values, with ends at 1, 2 or 5 of a decade. Values below the
  /// floor are raised to it.
  static func logarithmic(covering values: [Double], atLeast floor: Double) -> AxisScale {
    let shown = values.filter(\.isFinite).map { $0 < floor ? floor : $0 }
    let least = shown.min() ?? floor
    let greatest = shown.max() ?? floor
    return logarithmic(from: round(least, isUp: false), to: round(greatest, isUp: true))
  }

  /// Returns a value's position, 0 to 1. A value outside has the position of the nearer end.
  func position(_ value: Double) -> Double {
    if value.isNaN { return 0 }
    let part =
      isLogarithmic
      ? (value > 0 ? log10(value / lower) / log10(upper / lower) : 0)
      : (value - lower) / (upper - lower)
    return part < 0 || part.isNaN ? 0 : part > 1 ? 1 : part
  }

  /// Returns the marked values in ascending order, never more than some seventy.
  package func ticks() -> [Tick] {
    isLogarithmic ? logarithmicTicks() : linearTicks(atMost: 9)
  }

  /// Returns multiples of 1, 2 or 5 of a decade.
  private func linearTicks(atMost count: Int) -> [Tick] {
    let step = Self.niceStep((upper - lower) / Double(count))
    guard step.isFinite, step > 0 else { return [] }
    let first = (lower / step).rounded(.up)
    // The tolerance marks an end that is itself a multiple.
    let last = (upper / step + 0.001).rounded(.down)
    guard last - first < 50 else { return [] }
    return (0...Int(max(0, last - first))).map {
      Tick(value: (first + Double($0)) * step, isLabelled: true)
    }
  }

  /// Returns decades, and their multiples for up to 6 decades; 2 and 5 have labels for up to 2 decades.
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

  /// Returns the least of 1, 2 and 5 of a decade that is not below a value.
  static func niceStep(_ value: Double) -> Double {
    value > 0 && value.isFinite ? round(value, isUp: true) : 0
  }

  private static func round(_ value: Double, isUp: Bool) -> Double {
    let decade = pow(10, log10(value).rounded(.down))
    let part = value / decade
    let steps = [1.0, 2, 5, 10]
    // A value that differs from a step by rounding only is that step.
    return decade
      * (isUp
        ? steps.first { $0 >= part * 0.9999 } ?? 10 : steps.last { $0 <= part * 1.0001 } ?? 1)
  }
}
