// SPDX-License-Identifier: MIT

internal import Histogram

/// A distribution as HdrHistogram's percentile text (`.hgrm`), which its plotter and other programs read.
public struct PercentileText: Sendable {
  /// The name of the measurement, for people.
  public let title: String
  private let distribution: TimingDistribution

  /// Returns the texts of each kind of runs in a document; repetitions are joined.
  public static func texts(
    of quantity: TimingStatistics.Quantity, in document: TimingDocument
  ) -> [PercentileText] {
    RunGroup.groups(of: document.runs).compactMap { group in
      group.distribution(of: quantity).map {
        PercentileText(
          title: TimingTable.plain(RunLabels.full(group.key)) + ", " + quantity.rawValue,
          distribution: $0)
      }
    }
  }

  /// Writes the text, in microseconds.
  public func write(to output: inout some TextOutputStream) {
    let limit: UInt64 = 60_000_000_000
    var histogram = Histogram<UInt64>(
      highestTrackableValue: limit, numberOfSignificantValueDigits: .three)
    // The histogram adds up all values, and traps on overflow: counts in a file that no run can have are cut off
    // there.
    var left = UInt64(Int64.max)
    for bucket in distribution.buckets {
      let nanoseconds = min(bucket.nanoseconds, limit)
      let greatestEqual = nanoseconds + nanoseconds / 1000 + 1
      let count = min(bucket.count, left / greatestEqual)
      left -= count * greatestEqual
      histogram.record(nanoseconds, count: count)
    }
    output.write("#[\(title), microseconds]\n")
    histogram.outputPercentileDistribution(to: &output, outputValueUnitScalingRatio: 1000)
  }
}

extension RunGroup {
  /// Returns the distribution of a quantity in all of the runs; nil if none has it.
  func distribution(of quantity: TimingStatistics.Quantity) -> TimingDistribution? {
    let parts = runs.compactMap { $0[quantity] }
    return parts.isEmpty ? nil : parts.count == 1 ? parts[0] : TimingDistribution(joining: parts)
  }
}
