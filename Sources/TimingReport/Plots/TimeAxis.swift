// SPDX-License-Identifier: MIT

/// The unit of an even time axis.
struct TimeUnit: Equatable {
  let name: String
  let nanoseconds: Double

  /// The one that gives handy numbers for times up to this, in nanoseconds.
  init(covering nanoseconds: Double) {
    (name, self.nanoseconds) =
      nanoseconds < 180e9 ? ("s", 1e9) : nanoseconds < 3 * 3600e9 ? ("min", 60e9) : ("h", 3600e9)
  }
}

extension TimingPlot {
  /// What is shorter is drawn as this: the kernel's and the callback's times are no truer.
  static let plotFloorNanoseconds = 100.0
  /// How the line of a period is drawn.
  static let periodDashes = "6 4"

  /// The legend's entry of a period, in nanoseconds.
  static func periodEntry(_ period: Double) -> PlotCanvas.Entry {
    let length = period > 0 ? " \(NumberText.time(nanoseconds: period))" : ""
    return .init(text: "period\(length)", colour: PlotColour.black, dashes: periodDashes)
  }

  /// The labels of an axis of nanoseconds, each with its unit.
  static func timeLabels(_ scale: AxisScale) -> [PlotCanvas.Label] {
    scale.ticks().filter(\.isLabelled).map {
      .init(value: $0.value, text: NumberText.time(nanoseconds: $0.value))
    }
  }

  /// The labels of an axis of plain numbers.
  static func numberLabels(_ scale: AxisScale) -> [PlotCanvas.Label] {
    scale.ticks().filter(\.isLabelled).map {
      .init(value: $0.value, text: NumberText.shortDecimal($0.value, digits: 6))
    }
  }

  /// The labels of an axis of counts.
  static func countLabels(_ scale: AxisScale) -> [PlotCanvas.Label] {
    scale.ticks().filter(\.isLabelled).map {
      .init(value: $0.value, text: NumberText.shortCount($0.value))
    }
  }
}

extension PlotCanvas {
  /// A value that is not to be exceeded, such as a period, dashed.
  package mutating func horizontalLine(at value: Double) {
    let place = pixel(y: value)
    polyline(
      [(Self.left, place), (Self.width - Self.right, place)], colour: PlotColour.black,
      width: 1.5, dashes: TimingPlot.periodDashes)
  }
}

extension TimingRun {
  /// What it has in common with its repetitions.
  var key: RunGroup.Key { RunGroup.Key(subject: subject, conditions: conditions) }
}
