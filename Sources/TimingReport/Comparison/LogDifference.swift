// SPDX-License-Identifier: MIT

internal import Glibc

/// How far two sets of repeated measurements are from each other, beside how far each is from itself: Welch's
/// unequal-variances t-test of their logarithms.
///
/// Times scatter by factors, and the worst of many cycles most of all: their logarithms scatter alike on both sides of
/// the middle. Where the noise has heavier tails than that, the test errs towards no difference.
struct LogDifference {
  /// The greatest values that chance gives one time in fifty, for 1, 2 and so on degrees of freedom.
  private static let criticalValues = [
    31.821, 6.965, 4.541, 3.747, 3.365, 3.143, 2.998, 2.896, 2.821, 2.764, 2.718, 2.681, 2.650,
    2.624, 2.602, 2.583, 2.567, 2.552, 2.539, 2.528, 2.518, 2.508, 2.500, 2.492, 2.485, 2.479,
    2.473, 2.467, 2.462, 2.457,
  ]
  /// Smaller values are taken for this part of the greatest: none has a logarithm.
  private static let least = 1e-3
  /// The standard deviation of equal values, which were rounded when they were counted.
  private static let rounding = 0.005

  /// The mean of B's logarithms less that of A's.
  let difference: Double
  /// Whether chance gives as much at most one time in fifty.
  let isSignificant: Bool

  /// - Parameters:
  ///   - a: at least two values, none of them negative.
  ///   - b: as many or not.
  init(_ a: [Double], _ b: [Double]) {
    let scale = max(a.max() ?? 0, b.max() ?? 0)
    let (logsOfA, logsOfB) = (Self.logs(a, scale), Self.logs(b, scale))
    difference = Self.mean(logsOfB) - Self.mean(logsOfA)
    let (errorOfA, errorOfB) = (Self.squaredError(logsOfA), Self.squaredError(logsOfB))
    let error = errorOfA + errorOfB
    // Rounded down, so that a value between two stays on the careful side.
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

  /// Of the mean.
  private static func squaredError(_ values: [Double]) -> Double {
    let mean = mean(values)
    let sum = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return (sum / Double(values.count - 1) + rounding * rounding) / Double(values.count)
  }
}
