// SPDX-License-Identifier: MIT

internal import Glibc

extension TimingPlot {
  /// Returns a histogram of lateness and duration, with the counts on a logarithmic axis, so that a single cycle is
  /// visible beside a million.
  public static func histogram(of run: TimingRun) -> TimingPlot {
    let period = Double(run.conditions.periodNanoseconds)
    let quantities: [(TimingStatistics.Quantity, String)] = [
      (.duration, PlotColour.orange), (.lateness, PlotColour.blue),
    ]
    let columns = quantities.map { HistogramColumns(run[$0.0]) }
    let greatest = columns.flatMap(\.counts.values).max() ?? 1
    let edges = columns.flatMap(\.edges)
    let x = AxisScale.logarithmic(
      covering: edges + (period > 0 ? [period] : []), atLeast: HistogramColumns.lowerEdge(0))
    // A count of one has some height.
    let y = AxisScale.logarithmic(from: 0.6, to: Double(greatest) * 1.5)
    var canvas = PlotCanvas(
      title: "Histogram of lateness and duration", subtitle: RunLabels.full(run.key),
      explanation: """
        How many cycles had which lateness and which duration, in columns of a twentieth of a decade. \
        Both axes are logarithmic. The dashed line is the period.
        """,
      legend: [
        .init(text: "lateness", colour: PlotColour.blue, shape: .box),
        .init(text: "duration", colour: PlotColour.orange, shape: .box),
        periodEntry(period),
      ], x: x, y: y)
    canvas.axes(
      xTitle: columns.contains { $0.hasValuesBelowFloor }
        ? "Lateness, duration (up to 100\u{A0}ns in the first column)" : "Lateness, duration",
      yTitle: "Cycles", xLabels: timeLabels(x), yLabels: countLabels(y),
      xLines: x.ticks().map(\.value), yLines: y.ticks().map(\.value))
    guard columns.contains(where: { !$0.counts.isEmpty }) else {
      canvas.sayNothingMeasured()
      return canvas.finish()
    }
    for ((_, colour), columns) in zip(quantities, columns) {
      canvas.path(
        path(of: columns, on: canvas), colour: colour, width: 1.2, fill: colour, fillOpacity: 0.3)
    }
    if period > 0 {
      let place = canvas.pixel(x: period)
      canvas.polyline(
        [(place, canvas.top), (place, canvas.bottom)], colour: PlotColour.black, width: 1.5,
        dashes: periodDashes)
    }
    return canvas.finish()
  }

  /// Returns the outline of columns, without lines between neighbours.
  private static func path(of columns: HistogramColumns, on canvas: PlotCanvas) -> String {
    var path = ""
    var last: Int?
    let base = PlotCanvas.number(canvas.bottom)
    for (column, count) in columns.counts.sorted(by: { $0.key < $1.key }) {
      if column - 1 != last {
        if last != nil { path += "V\(base)" }
        let left = canvas.pixel(x: HistogramColumns.lowerEdge(column))
        path += "M\(PlotCanvas.number(left)) \(base)"
      }
      let right = canvas.pixel(x: HistogramColumns.lowerEdge(column + 1))
      path += "V\(PlotCanvas.number(canvas.pixel(y: Double(count))))H\(PlotCanvas.number(right))"
      last = column
    }
    return path.isEmpty ? path : path + "V\(base)"
  }
}

/// A distribution in columns of a twentieth of a decade.
struct HistogramColumns {
  private static let perDecade = 20.0

  /// The number of values in each column. Column 0 contains all up to the least drawn time.
  private(set) var counts: [Int: UInt64] = [:]

  init(_ distribution: TimingDistribution?) {
    for bucket in distribution?.buckets ?? [] where bucket.count > 0 {
      let column = Self.column(bucket.nanoseconds)
      counts[column] = counts[column, default: 0].addingSaturated(bucket.count)
    }
  }

  /// Whether the first column contains values, up to the least drawn time.
  var hasValuesBelowFloor: Bool { counts[0] != nil }

  /// The lowest and the highest edge; empty without values.
  var edges: [Double] {
    guard let first = counts.keys.min(), let last = counts.keys.max() else { return [] }
    return [Self.lowerEdge(first), Self.lowerEdge(last + 1)]
  }

  /// Returns the lower edge of a column, in nanoseconds.
  static func lowerEdge(_ column: Int) -> Double {
    TimingPlot.plotFloorNanoseconds * pow(10, Double(column - 1) / perDecade)
  }

  private static func column(_ nanoseconds: UInt64) -> Int {
    let ratio = Double(nanoseconds) / TimingPlot.plotFloorNanoseconds
    return ratio <= 1 ? 0 : Int((log10(ratio) * perDecade).rounded(.down)) + 1
  }
}
