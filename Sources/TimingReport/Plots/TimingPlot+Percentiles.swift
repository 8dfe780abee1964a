// SPDX-License-Identifier: MIT

internal import Glibc

extension TimingPlot {
  /// Which value how many of the cycles do not exceed, of several runs: a line for each run. The further to
  /// the right, the rarer: each step is ten times as rare as the one before. Of the headroom the little
  /// values are the bad ones: it is shown what so many cycles have at least.
  ///
  /// Repetitions have the same colour. Of more than 14 different subjects and conditions the first 14 are
  /// drawn, and the picture says how many are not.
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
    // The few best values would take the place of those that matter.
    let ends = drawn.flatMap(\.runs).compactMap { $0[quantity] }.filter { $0.count > 0 }.flatMap {
      (falls ? [0, 90] : [10, 100]).map($0.nanoseconds(percentile:)).map { Double($0) }
    }
    let y = AxisScale.logarithmic(
      covering: ends + (period > 0 ? [period] : []), atLeast: plotFloorNanoseconds)
    var canvas = PlotCanvas(
      title: "\(name(of: quantity)) by percentile",
      subtitle: subtitle(labels.common, drawn: drawn.count, of: groups.count),
      explanation: """
        The value that so many of a hundred cycles \(falls ? "have at least" : "do not exceed"). Every line \
        ends at its run's worst value, as far to the right as the run has cycles. What the axis does not \
        reach lies on its edge.
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

  /// A value, and 1/(1 − q) of the share of values that do not exceed it: one of so many is worse. Of the
  /// worst value, the count of all.
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

  /// A line that goes right to the end of what has a value, and then up to the next one.
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

  /// 0 %, 50 %, 90 %, 99 % and so on.
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

  /// What all have in common, and how many there is no colour for.
  static func subtitle(_ common: String, drawn: Int, of count: Int) -> String {
    drawn == count ? common : "\(common) (not drawn: \(count - drawn) more)"
  }

  /// An entry of the legend for each group. A line says of how many runs there is one.
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

/// How one of several lines or bars is drawn.
package struct PlotStyle {
  /// As many can be told from each other.
  package static let maximum = 2 * PlotColour.series.count

  package let colour: String
  /// The second round of colours is dashed.
  package let dashes: String

  package init(_ place: Int) {
    colour = PlotColour.series[place % PlotColour.series.count]
    dashes = place < PlotColour.series.count ? "" : "2 2"
  }
}
