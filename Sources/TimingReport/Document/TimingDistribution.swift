// SPDX-License-Identifier: MIT

/// The distribution of a quantity, in nanoseconds.
public struct TimingDistribution: Sendable, Equatable, Codable {
  /// A value that occurred, to a thousandth, and its count.
  public struct Bucket: Sendable, Equatable, Codable {
    /// The greatest value that is counted here.
    public var nanoseconds: UInt64
    /// The number of values.
    public var count: UInt64

    /// Creates a bucket.
    public init(nanoseconds: UInt64, count: UInt64) {
      self.nanoseconds = nanoseconds
      self.count = count
    }
  }

  /// The 50th percentile: half of the values are at or below it.
  public var p50Nanoseconds: UInt64
  /// The 90th percentile.
  public var p90Nanoseconds: UInt64
  /// The 99th percentile.
  public var p99Nanoseconds: UInt64
  /// The 99.9th percentile.
  public var p999Nanoseconds: UInt64
  /// The 99.99th percentile.
  public var p9999Nanoseconds: UInt64
  /// The greatest value.
  public var maximumNanoseconds: UInt64
  /// All values in ascending order, at most some hundred to the decade.
  public var buckets: [Bucket]

  /// Creates a distribution of counted values.
  ///
  /// - Parameter buckets: in ascending order of their values.
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

  /// The number of values. Counts in a file that no run can have saturate at the largest number.
  public var count: UInt64 {
    buckets.reduce(0) { $0.addingSaturated($1.count) }
  }

  /// Returns true if at least one value is beyond a percentile of 50 or more.
  func hasEnough(forPercentile percentile: Double) -> Bool {
    percentile >= 100 || Double(count) * (100 - percentile) >= 100 * (1 - 1e-9)
  }

  /// Returns a percentile, which that share of the values does not exceed; 0 without values.
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
