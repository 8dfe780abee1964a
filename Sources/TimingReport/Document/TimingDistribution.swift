// SPDX-License-Identifier: MIT

/// How a quantity was distributed, in nanoseconds.
public struct TimingDistribution: Sendable, Equatable, Codable {
  /// A value that occurred, to a thousandth, and how often.
  public struct Bucket: Sendable, Equatable, Codable {
    /// The greatest value that is counted here.
    public var nanoseconds: UInt64
    /// How many.
    public var count: UInt64

    /// This many of that.
    public init(nanoseconds: UInt64, count: UInt64) {
      self.nanoseconds = nanoseconds
      self.count = count
    }
  }

  /// What half of the values do not exceed.
  public var p50Nanoseconds: UInt64
  /// What 90 % of the values do not exceed.
  public var p90Nanoseconds: UInt64
  /// What 99 % of the values do not exceed.
  public var p99Nanoseconds: UInt64
  /// What 99.9 % of the values do not exceed.
  public var p999Nanoseconds: UInt64
  /// What 99.99 % of the values do not exceed.
  public var p9999Nanoseconds: UInt64
  /// The greatest value.
  public var maximumNanoseconds: UInt64
  /// Every value, the least first, at most some hundred to the decade.
  public var buckets: [Bucket]

  /// A distribution of counted values.
  ///
  /// - Parameter buckets: with values that rise.
  public init(buckets: [Bucket]) {
    self.buckets = buckets
    p50Nanoseconds = 0
    p90Nanoseconds = 0
    p99Nanoseconds = 0
    p999Nanoseconds = 0
    p9999Nanoseconds = 0
    maximumNanoseconds = buckets.last?.nanoseconds ?? 0
    p50Nanoseconds = nanoseconds(percentile: 50)
    p90Nanoseconds = nanoseconds(percentile: 90)
    p99Nanoseconds = nanoseconds(percentile: 99)
    p999Nanoseconds = nanoseconds(percentile: 99.9)
    p9999Nanoseconds = nanoseconds(percentile: 99.99)
  }

  /// How many values there are; what a file says that no run can have counts as the most that there can be.
  public var count: UInt64 {
    buckets.reduce(0) { $0.addingSaturated($1.count) }
  }

  /// Returns whether at least one value is beyond a percentile of 50 or more.
  func hasEnough(forPercentile percentile: Double) -> Bool {
    percentile >= 100 || Double(count) * (100 - percentile) >= 100 * (1 - 1e-9)
  }

  /// The value that so many of a hundred do not exceed; 0 without values.
  public func nanoseconds(percentile: Double) -> UInt64 {
    let wanted = max(1, (Double(count) * percentile / 100).rounded(.up))
    var seen = 0.0
    for bucket in buckets {
      seen += Double(bucket.count)
      if seen >= wanted { return bucket.nanoseconds }
    }
    return maximumNanoseconds
  }
}
