// SPDX-License-Identifier: MIT

internal import Glibc

extension TimingPlot {
  /// Returns a plot of several runs' percentiles, with a line for each run. Values to the right are rarer: each step
  /// is ten times as rare as the one before. Of the headroom small values are the bad ones, so a percentile is the
  /// value that cycles have at least.
  ///
  /// Repetitions have the same colour. Of more than 14 different subjects and conditions the first 14 are drawn, and
  /// the subtitle states the number of the others.
  public static func percentiles(
    of runs: [TimingRun], quantity: TimingStatistics.Quantity
  ) -> TimingPlot {
    let groups = RunGroup.groups(of: runs)
    let drawn = Array(groups.prefix(PlotStyle.maximum))
    let labels = RunLabels(drawn.map(\.key))
    let falls = quantity == .headroom
    let periods = Set(drawn.map(\.key.conditions.periodNanoseconds))
    let period = periods.count == 1 ? periods.first.map { Double($0) } ?? 0 : 0
    let lines = drawn.map { group in
      group.runs.compactMap { $0[quantity] }.map { percentilePoints($0, fallsFromGreatest: falls) }
        .filter { !$0.isEmpty }
    }
    let points = lines.joined().joined()
    let rarest = points.map(\.rarity).max() ?? 1
    // More than needed, so that the last value is not at the edge.
    let x = AxisScale.logarithmic(from: 1, to: rarest < 8 ? 10 : rarest * 1.2)
    // The few best values would take the room of those that matter.
    let ends = drawn.flatMap(\.runs).compactMap { $0[quantity] }.filter { $0.count > 0 }.flatMap {
      (falls ? [0, 90] : [10, 100]).map($0.nanoseconds(percentile:)).map { Double($0) }
    }
    let y = AxisScale.logarithmic(
      covering: ends + (period > 0 ? [period] : []), atLeast: plotFloorNanoseconds)
    var canvas = PlotCanvas(
      title: "\(name(of: quantity)) by percentile",
      subtitle: subtitle(labels.common, drawn: drawn.count, of: groups.count),
      explanation: """
        At 99 %, 99 of 100 cycles are at or \(falls ? "above" : "below") the value. Each line ends at its run's \
        worst value. Runs with more cycles reach farther to the right. Values beyond the axis are drawn on its edge.
        """,
      legend: legend(drawn, labels) + (period > 0 ? [periodEntry(period)] : []), x: x, y: y)
    canvas.axes(
      xTitle: "Cycles that \(falls ? "have at least" : "do not exceed") the value",
      yTitle: name(of: quantity),
      xLabels: percentileLabels(upTo: x.upper), yLabels: timeLabels(y),
      yLines: y.ticks().map(\.value))
    if points.isEmpty {
      canvas.sayNothingMeasured()
      return canvas.finish()
    }
    if period > 0 { canvas.horizontalLine(at: period) }
    for (place, lines) in lines.enumerated() {
      let style = PlotStyle(place)
      for line in lines {
        canvas.polyline(
          steps(through: line, on: canvas), colour: style.colour, width: 1.6, dashes: style.dashes)
      }
    }
    return canvas.finish()
  }

  /// Returns each value with its rarity: 1/(1 − q) for the share q of values up to it, and the count of all values
  /// for the worst one.
  private static func percentilePoints(
    _ distribution: TimingDistribution, fallsFromGreatest: Bool
  ) -> [(rarity: Double, nanoseconds: Double)] {
    let buckets = distribution.buckets.filter { $0.count > 0 }
    let total = buckets.reduce(0) { $0 + Double($1.count) }
    var seen = 0.0
    return (fallsFromGreatest ? buckets.reversed() : buckets).map { bucket in
      seen += Double(bucket.count)
      let left = total - seen
      return (left >= 1 ? total / left : total, Double(bucket.nanoseconds))
    }
  }

  /// Returns a line that goes right to the end of each value's range, and then to the next value.
  private static func steps(
    through points: [(rarity: Double, nanoseconds: Double)], on canvas: PlotCanvas
  ) -> [(x: Double, y: Double)] {
    var places: [(x: Double, y: Double)] = []
    var x = canvas.pixel(x: 1)
    for point in points {
      let y = canvas.pixel(y: point.nanoseconds)
      places.append((x, y))
      x = canvas.pixel(x: point.rarity)
      places.append((x, y))
    }
    return places
  }

  /// Returns the labels 0 %, 50 %, 90 %, 99 % and so on.
  static func percentileLabels(upTo rarity: Double) -> [PlotCanvas.Label] {
    var labels = [PlotCanvas.Label(value: 1, text: "0\u{A0}%"), .init(value: 2, text: "50\u{A0}%")]
    var value = 10.0
    var nines = 1
    while value <= rarity, nines <= 15 {
      let text =
        nines == 1
        ? "90" : nines == 2 ? "99" : "99." + String(repeating: "9", count: nines - 2)
      labels.append(.init(value: value, text: text + "\u{A0}%"))
      value *= 10
      nines += 1
    }
    return labels
  }

  /// Returns the shared properties, and the number of groups that are not drawn.
  static func subtitle(_ common: String, drawn: Int, of count: Int) -> String {
    drawn == count ? common : "\(common) (not drawn: \(count - drawn) more)"
  }

  /// Returns a legend's entry for each group. The entry of a line states the number of its runs.
  static func legend(
    _ groups: [RunGroup], _ labels: RunLabels, shape: PlotCanvas.Entry.Shape = .line
  ) -> [PlotCanvas.Entry] {
    groups.enumerated().map { place, group in
      let label = labels.label(of: group.key)
      let name = label.isEmpty ? group.key.subject : label
      let style = PlotStyle(place)
      return PlotCanvas.Entry(
        text: shape == .line && group.runs.count > 1
          ? "\(name) (\(group.runs.count)\u{A0}runs)" : name,
        colour: style.colour, shape: shape, dashes: style.dashes)
    }
  }
}

/// The style of one of several lines or bars.
package struct PlotStyle {
  /// The number of styles that readers can distinguish.
  package static let maximum = 2 * PlotColour.series.count

  package let colour: String
  /// The second round of colours is dashed.
  package let dashes: String

  package init(_ place: Int) {
    colour = PlotColour.series[place % PlotColour.series.count]
    dashes = place < PlotColour.series.count ? "" : "2 2"
  }
}
