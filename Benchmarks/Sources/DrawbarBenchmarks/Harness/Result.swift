// SPDX-License-Identifier: MIT

/// The figures of one comparison.
struct ComparisonResult {
  let comparison: Comparison
  /// Nanoseconds per operation in each round.
  let baseline: Samples
  let subject: Samples
  /// The feeder's part of the subject.
  let feed: Samples
  /// The ratio of subject to baseline in each round.
  let ratios: Samples

  /// Runs both sides alternately, in an order that changes from round to round, so that the machine's drift
  /// affects both alike.
  init(_ comparison: Comparison, rounds: Int) throws(BenchmarkFailure) {
    var baseline: [Double] = []
    var subject: [Double] = []
    var feed: [Double] = []
    let operations = Double(comparison.operations)
    // Two unrecorded rounds warm caches, branch predictors and pages.
    for round in -2..<min(rounds * comparison.roundsForOne, comparison.maximumRounds) {
      var first = Timing(nanoseconds: 0)
      if round % 2 == 0 { first = comparison.baseline.run() }
      let timing = comparison.subject.run()
      if round % 2 != 0 { first = comparison.baseline.run() }
      guard round >= 0 else { continue }
      baseline.append(Double(first.nanoseconds) / operations)
      subject.append(Double(timing.nanoseconds) / operations)
      feed.append(Double(timing.feedNanoseconds) / operations)
    }
    if let objection = comparison.objection() {
      throw BenchmarkFailure("\(comparison.name): \(objection)")
    }
    self.comparison = comparison
    ratios = Samples(zip(subject, baseline).map { $0 / $1 })
    self.baseline = Samples(baseline)
    self.subject = Samples(subject)
    self.feed = Samples(feed)
  }

  /// The throughput in 10^6 bytes per second of processor time, by the median.
  var megabytesPerSecond: Double? {
    comparison.bytes.map { bytes in
      Double(bytes) * 1000 / (subject.median * Double(comparison.operations))
    }
  }

  /// The figure that the thresholds apply to: the throughput if the comparison is judged by it, else the median
  /// ratio.
  var value: Double {
    comparison.isJudgedByThroughput ? megabytesPerSecond ?? 0 : ratios.median
  }
}

/// Sorted measurements.
struct Samples {
  private let sorted: [Double]

  init(_ values: [Double]) {
    sorted = values.sorted()
  }

  var minimum: Double { quantile(0) }
  var lowerQuartile: Double { quantile(0.25) }
  var median: Double { quantile(0.5) }
  var upperQuartile: Double { quantile(0.75) }
  var maximum: Double { quantile(1) }

  private func quantile(_ fraction: Double) -> Double {
    let place = fraction * Double(sorted.count - 1)
    let below = Int(place)
    let above = min(below + 1, sorted.count - 1)
    return sorted[below] + (sorted[above] - sorted[below]) * (place - Double(below))
  }
}
