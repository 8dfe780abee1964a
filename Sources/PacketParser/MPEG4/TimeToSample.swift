// SPDX-License-Identifier: MIT

/// The durations of a track's samples, in units of the media's time scale (`stts`, ISO/IEC 14496-12
/// section 8.6.1.2): runs of samples with the same duration.
struct TimeToSample {
  private struct Run {
    var firstSample: Int64
    var firstTime: Int64
    var duration: UInt32
  }

  private var runs: [Run] = []
  private(set) var sampleCount: Int64 = 0
  /// The total duration, bounded so that sums cannot overflow.
  private(set) var total: Int64 = 0

  private static let maximumTime = Int64(1) << 60

  mutating func append(count: UInt32, duration: UInt32) {
    guard count > 0 else { return }
    if runs.last?.duration != duration {
      runs.append(Run(firstSample: sampleCount, firstTime: total, duration: duration))
    }
    sampleCount += Int64(count)
    let (time, overflow) = Int64(count).multipliedReportingOverflow(by: Int64(duration))
    total = overflow ? Self.maximumTime : min(Self.maximumTime, total + min(time, Self.maximumTime))
  }

  /// Whether every sample lasts one unit, as in QuickTime's linear PCM.
  var isOneUnitEach: Bool { runs.count == 1 && runs[0].duration == 1 }

  /// Returns the common duration of the samples, of which the last may be shorter; nil if they differ.
  func common(sampleCount count: Int64) -> UInt32? {
    guard let first = runs.first, first.duration > 0 else { return nil }
    if runs.count == 1 { return first.duration }
    let isLastAlone = runs.count == 2 && runs[1].firstSample == count - 1
    return isLastAlone && runs[1].duration < first.duration ? first.duration : nil
  }

  /// Returns the time at which a sample begins.
  func time(of sample: Int64) -> Int64 {
    guard let place = place({ $0.firstSample <= sample }) else { return 0 }
    let run = runs[place]
    let (time, overflow) = (sample - run.firstSample).multipliedReportingOverflow(
      by: Int64(run.duration))
    return overflow
      ? Self.maximumTime : min(Self.maximumTime, run.firstTime + min(time, Self.maximumTime))
  }

  /// Returns the last run for which `holds` is true. It must be true for the first runs and false for
  /// the rest.
  private func place(_ holds: (Run) -> Bool) -> Int? {
    var low = 0
    var end = runs.count
    while low < end {
      let middle = low + (end - low) / 2
      if holds(runs[middle]) { low = middle + 1 } else { end = middle }
    }
    return low > 0 ? low - 1 : nil
  }
}

/// Converts a media's time to frames and back.
struct TimeScale: Equatable {
  /// Frames per second.
  var frameRate: Int64 = 1
  /// Units per second.
  var unitsPerSecond: Int64 = 1

  /// Converts a time to frames, rounded.
  func frames(_ time: Int64) -> Int64 { Self.scale(time, frameRate, unitsPerSecond) }

  /// Converts frames to a time, rounded.
  func units(_ frames: Int64) -> Int64 { Self.scale(frames, unitsPerSecond, frameRate) }

  /// Returns `value * factor / divisor`, rounded and bounded, for values that are not negative.
  static func scale(_ value: Int64, _ factor: Int64, _ divisor: Int64) -> Int64 {
    if factor == divisor { return value }
    guard value > 0, factor > 0, divisor > 0 else { return 0 }
    let (high, low) = UInt64(value).multipliedFullWidth(by: UInt64(factor))
    guard high < UInt64(divisor) else { return 1 << 60 }
    let (quotient, rest) = UInt64(divisor).dividingFullWidth((high, low))
    return Int64(min(quotient, 1 << 60)) + (rest >= UInt64(divisor) - rest ? 1 : 0)
  }
}
