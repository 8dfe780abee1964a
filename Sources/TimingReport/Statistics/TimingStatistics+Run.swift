// SPDX-License-Identifier: MIT

internal import Histogram

extension TimingStatistics {
  /// Returns the measurement so far as a run.
  public func run(
    subject: String, conditions: TimingConditions, repetition: Int = 0, lostRecords: UInt64 = 0
  ) -> TimingRun {
    var counts: [String: UInt64] = [:]
    for cause in CycleCause.allCases where count(of: cause) > 0 {
      counts[cause.rawValue] = count(of: cause)
    }
    return TimingRun(
      subject: subject, conditions: conditions, repetition: repetition, cycles: cycles,
      missedCycles: missedCycles, xruns: xruns, preemptedCycles: preemptedCycles,
      longestUnpreemptedNanoseconds: longestUnpreemptedNanoseconds, packets: packets,
      lostRecords: lostRecords, causes: counts, slowNodes: slowNodes.isEmpty ? nil : slowNodes,
      dspLoad: totalPeriodNanoseconds > 0
        ? Double(totalDurationNanoseconds) / Double(totalPeriodNanoseconds) : 0,
      leastBufferedNanoseconds: leastBufferedNanoseconds,
      distributions: Dictionary(
        uniqueKeysWithValues: Quantity.allCases.compactMap { quantity in
          distribution(of: quantity).map { (quantity.rawValue, $0) }
        }),
      series: series, incidents: incidents)
  }
}

extension TimingDistribution {
  /// Creates a distribution that joins values within a hundredth; percentiles are exact to a thousandth.
  init(_ histogram: Histogram<UInt64>) {
    var buckets: [Bucket] = []
    var limit = 0.0
    for value in histogram.recordedValues() where value.count > 0 {
      let nanoseconds = min(histogram.highestEquivalentForValue(value.value), histogram.max)
      if Double(nanoseconds) < limit, var last = buckets.popLast() {
        last.nanoseconds = nanoseconds
        last.count += value.count
        buckets.append(last)
      } else {
        buckets.append(Bucket(nanoseconds: nanoseconds, count: value.count))
        limit = Double(nanoseconds) * 1.01
      }
    }
    self.init(buckets: buckets)
    func percentile(_ percentile: Double) -> UInt64 {
      min(histogram.valueAtPercentile(percentile), histogram.max)
    }
    p50Nanoseconds = percentile(50)
    p90Nanoseconds = percentile(90)
    p99Nanoseconds = percentile(99)
    p999Nanoseconds = percentile(99.9)
    p9999Nanoseconds = percentile(99.99)
    maximumNanoseconds = histogram.max
  }
}
