// SPDX-License-Identifier: MIT

extension TimingDistribution {
  /// Creates a distribution of all values of several ones, such as of repetitions.
  public init(joining parts: [TimingDistribution]) {
    var counts: [UInt64: UInt64] = [:]
    for bucket in parts.lazy.flatMap(\.buckets) {
      counts[bucket.nanoseconds] = counts[bucket.nanoseconds, default: 0]
        .addingSaturated(bucket.count)
    }
    self.init(
      buckets: counts.sorted { $0.key < $1.key }.map {
        Bucket(nanoseconds: $0.key, count: $0.value)
      })
  }
}
