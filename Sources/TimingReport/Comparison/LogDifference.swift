// SPDX-License-Identifier: MIT

internal import Glibc

/// The difference between two sets of repeated measurements, compared with the scatter within each set: Welch's
/// unequal-variances t-test of their logarithms.
///
/// Times scatter by factors, and the worst of many cycles most of all; their logarithms scatter alike on both sides of
/// the middle. If the noise has heavier tails than that, the test errs towards no difference.
struct LogDifference {
  /// The values that chance exceeds one time in fifty, for 1, 2 and so on degrees of freedom.
  private static let criticalValues = [
    31.821, 6.965, 4.541, 3.747, 3.365, 3.143, 2.998, 2.896, 2.821, 2.764, 2.718, 2.681, 2.650,
    2.624, 2.602, 2.583, 2.567, 2.552, 2.539, 2.528, 2.518, 2.508, 2.500, 2.492, 2.485, 2.479,
    2.473, 2.467, 2.462, 2.457,
  ]
  /// The least share of the greatest value; smaller values are raised to it, because 0 has no logarithm.
  private static let least = 1e-3
  /// The assumed standard deviation of equal values, which were rounded when they were counted.
  private static let rounding = 0.005

  /// The mean of B's logarithms minus that of A's.
  let difference: Double
  /// Whether chance reaches such a difference at most one time in fifty.
  let isSignificant: Bool

  /// - Parameters:
  ///   - a: at least two values, none of them negative.
  ///   - b: at least two values, too; the numbers may differ.
  init(_ a: [Double], _ b: [Double]) {
    let scale = max(a.max() ?? 0, b.max() ?? 0)
    let (logsOfA, logsOfB) = (Self.logs(a, scale), Self.logs(b, scale))
    difference = Self.mean(logsOfB) - Self.mean(logsOfA)
    let (errorOfA, errorOfB) = (Self.squaredError(logsOfA), Self.squaredError(logsOfB))
    let error = errorOfA + errorOfB
    // Rounded down, which selects the more careful value.
    let freedom =
      error * error
      / (errorOfA * errorOfA / Double(a.count - 1) + errorOfB * errorOfB / Double(b.count - 1))
    let place = min(max(1, Int(freedom)), Self.criticalValues.count)
    isSignificant = abs(difference) > Self.criticalValues[place - 1] * error.squareRoot()
  }

  private static func logs(_ values: [Double], _ scale: Double) -> [Double] {
    scale > 0 ? values.map { log(max($0 / scale, least)) } : values.map { _ in 0 }
  }

  private static func mean(_ values: [Double]) -> Double {
    values.reduce(0, +) / Double(values.count)
  }

  /// Returns the squared standard error of the mean.
  private static func squaredError(_ values: [Double]) -> Double {
    let mean = mean(values)
    let sum = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return (sum / Double(values.count - 1) + rounding * rounding) / Double(values.count)
  }
}
