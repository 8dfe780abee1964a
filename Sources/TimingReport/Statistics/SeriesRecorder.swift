// SPDX-License-Identifier: MIT

/// A recorder of a series of cycles, in memory that does not grow with the run: too many
/// stretches are merged in pairs.
struct SeriesRecorder {
  private(set) var series = TimingSeries()
  /// The length of each stretch.
  private var stretchNanoseconds: UInt64 = 10_000_000
  /// The length of a stretch, in which each cause has at most one mark. Grows if there are too many.
  private var markStretchNanoseconds: UInt64 = 1

  /// Adds a cycle. Call it in the order of time.
  mutating func add(_ timing: CycleTiming, timeNanoseconds: UInt64) {
    let start = timeNanoseconds - timeNanoseconds % stretchNanoseconds
    let point = TimingSeries.Point(
      timeNanoseconds: start, latenessNanoseconds: timing.latenessNanoseconds,
      durationNanoseconds: timing.durationNanoseconds)
    if let last = series.points.last, last.timeNanoseconds == start {
      series.points[series.points.count - 1].include(point)
      return
    }
    if series.points.count == TimingSeries.maximumPoints {
      halve()
      return add(timing, timeNanoseconds: timeNanoseconds)
    }
    series.points.append(point)
  }

  /// Marks a bad cycle. Call it in the order of time.
  mutating func mark(_ cause: CycleCause, timeNanoseconds: UInt64) {
    append(TimingSeries.Mark(timeNanoseconds: timeNanoseconds, cause: cause))
    while series.marks.count > TimingSeries.maximumMarks {
      markStretchNanoseconds *= 2
      let all = series.marks
      series.marks.removeAll(keepingCapacity: true)
      for mark in all { append(mark) }
    }
  }

  /// Appends a mark if its stretch has none of its cause.
  private mutating func append(_ mark: TimingSeries.Mark) {
    let stretch = mark.timeNanoseconds / markStretchNanoseconds
    if let last = series.marks.last(where: { $0.cause == mark.cause }),
      last.timeNanoseconds / markStretchNanoseconds == stretch
    {
      return
    }
    series.marks.append(mark)
  }

  /// Doubles the length of stretches until some have become one.
  private mutating func halve() {
    let count = series.points.count
    while series.points.count == count {
      stretchNanoseconds *= 2
      var merged: [TimingSeries.Point] = []
      merged.reserveCapacity(TimingSeries.maximumPoints)
      for var point in series.points {
        point.timeNanoseconds -= point.timeNanoseconds % stretchNanoseconds
        if let last = merged.last, last.timeNanoseconds == point.timeNanoseconds {
          merged[merged.count - 1].include(point)
        } else {
          merged.append(point)
        }
      }
      series.points = merged
    }
  }
}

extension TimingSeries.Point {
  fileprivate mutating func include(_ other: TimingSeries.Point) {
    latenessNanoseconds = max(latenessNanoseconds, other.latenessNanoseconds)
    durationNanoseconds = max(durationNanoseconds, other.durationNanoseconds)
  }
}
