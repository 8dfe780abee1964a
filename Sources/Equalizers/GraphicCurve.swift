// SPDX-License-Identifier: MIT

internal import Glibc

/// A gain defined at some frequencies: linear in dB over the logarithm of the frequency between them,
/// and constant below the first and above the last.
public struct GraphicCurve: Hashable, Sendable {
  /// One point of a curve.
  public struct Point: Hashable, Sendable {
    /// The frequency in Hz, above 0.
    public var frequencyHertz: Double
    /// The gain in dB.
    public var gainDecibels: Double

    /// Creates a point with these fields.
    public init(frequencyHertz: Double, gainDecibels: Double) {
      self.frequencyHertz = frequencyHertz
      self.gainDecibels = gainDecibels
    }
  }

  /// The points, by ascending frequency.
  public private(set) var points: [Point]

  /// Creates a curve through these points, in any order. Of two points of one frequency the first
  /// counts.
  public init(_ points: [Point]) {
    var sorted: [Point] = []
    // The sort is stable.
    for point in points.sorted(by: { $0.frequencyHertz < $1.frequencyHertz }) {
      if point.frequencyHertz != sorted.last?.frequencyHertz { sorted.append(point) }
    }
    self.points = sorted
  }

  /// Returns the gain in dB at a frequency; 0 for a curve without points.
  ///
  /// - Parameter frequencyHertz: The frequency, 0 or more.
  public func gainDecibels(atHertz frequencyHertz: Double) -> Double {
    guard let first = points.first, let last = points.last else { return 0 }
    guard frequencyHertz > first.frequencyHertz else { return first.gainDecibels }
    guard frequencyHertz < last.frequencyHertz else { return last.gainDecibels }
    var low = 0
    var high = points.count - 1
    while high - low > 1 {
      let middle = (low + high) / 2
      if points[middle].frequencyHertz <= frequencyHertz { low = middle } else { high = middle }
    }
    let (left, right) = (points[low], points[high])
    let fraction =
      log(frequencyHertz / left.frequencyHertz) / log(right.frequencyHertz / left.frequencyHertz)
    return left.gainDecibels + (right.gainDecibels - left.gainDecibels) * fraction
  }
}
