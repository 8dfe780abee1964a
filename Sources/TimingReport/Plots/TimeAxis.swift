// SPDX-License-Identifier: MIT

/// The unit of an even time axis.
struct TimeUnit: Equatable {
  let name: String
  let nanoseconds: Double

  /// Chooses the unit with handy numbers for times up to this, in nanoseconds.
  init(covering nanoseconds: Double) {
    (name, self.nanoseconds) =
      nanoseconds < 180e9 ? ("s", 1e9) : nanoseconds < 3 * 3600e9 ? ("min", 60e9) : ("h", 3600e9)
  }
}

extension TimingPlot {
  /// The least drawn time, to which shorter ones are raised: the kernel's and the callback's times are no truer.
  static let plotFloorNanoseconds = 100.0
  /// The dashes of a period's line.
  static let periodDashes = "6 4"

  /// Returns the legend's entry of a period, in nanoseconds.
  static func periodEntry(_ period: Double) -> PlotCanvas.Entry {
    let length = period > 0 ? " \(NumberText.time(nanoseconds: period))" : ""
    return .init(text: "period\(length)", colour: PlotColour.black, dashes: periodDashes)
  }

  /// Returns the labels of an axis of nanoseconds, each with its unit.
  static func timeLabels(_ scale: AxisScale) -> [PlotCanvas.Label] {
    scale.ticks().filter(\.isLabelled).map {
      .init(value: $0.value, text: NumberText.time(nanoseconds: $0.value))
    }
  }

  /// Returns the labels of an axis of plain numbers.
  static func numberLabels(_ scale: AxisScale) -> [PlotCanvas.Label] {
    scale.ticks().filter(\.isLabelled).map {
      .init(value: $0.value, text: NumberText.shortDecimal($0.value, digits: 6))
    }
  }

  /// Returns the labels of an axis of counts.
  static func countLabels(_ scale: AxisScale) -> [PlotCanvas.Label] {
    scale.ticks().filter(\.isLabelled).map {
      .init(value: $0.value, text: NumberText.shortCount($0.value))
    }
  }
}

extension PlotCanvas {
  /// Draws a dashed line at a limit, such as a period.
  package mutating func horizontalLine(at value: Double) {
    let place = pixel(y: value)
    polyline(
      [(Self.left, place), (Self.width - Self.right, place)], colour: PlotColour.black,
      width: 1.5, dashes: TimingPlot.periodDashes)
  }
}

extension TimingRun {
  /// The subject and the conditions, which its repetitions share.
  var key: RunGroup.Key { RunGroup.Key(subject: subject, conditions: conditions) }
}
