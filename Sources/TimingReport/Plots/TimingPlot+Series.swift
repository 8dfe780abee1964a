// SPDX-License-Identifier: MIT

extension TimingPlot {
  /// Returns a plot of lateness and duration over a run, with the period and, above, the bad cycles by cause.
  public static func series(of run: TimingRun) -> TimingPlot {
    let series = run.series
    let period = Double(run.conditions.periodNanoseconds)
    let end = Double(
      [series.points.last?.timeNanoseconds, series.marks.last?.timeNanoseconds].compactMap(\.self)
        .max() ?? 0)
    let values = series.points.flatMap {
      [Double($0.latenessNanoseconds), Double($0.durationNanoseconds)]
    }
    let lines = period > 0 ? [period] : []
    let causes = CycleCause.allCases.filter { cause in
      series.marks.contains { $0.cause == cause }
    }
    let unit = TimeUnit(covering: end)
    let x = AxisScale.linear(from: 0, to: end / unit.nanoseconds)
    let y = AxisScale.logarithmic(covering: values + lines, atLeast: plotFloorNanoseconds)
    let laneHeight = 16.0
    let laneGap = 10.0
    var canvas = PlotCanvas(
      title: "Lateness and duration over the run", subtitle: RunLabels.full(run.key),
      explanation: """
        The greatest lateness and duration of each stretch of time, and the period. Bad cycles are marked \
        above, by their causes.
        """,
      legend: [
        .init(text: "lateness", colour: PlotColour.blue),
        .init(text: "duration", colour: PlotColour.orange),
        periodEntry(period),
      ], x: x, y: y, lanes: causes.isEmpty ? 0 : laneHeight * Double(causes.count) + laneGap)
    canvas.axes(
      xTitle: "Time since the start [\(unit.name)]", yTitle: "Greatest lateness, duration",
      xLabels: numberLabels(x), yLabels: timeLabels(y), yLines: y.ticks().map(\.value))
    for (lane, cause) in causes.enumerated() {
      let laneTop = canvas.top - laneGap - laneHeight * Double(causes.count - lane)
      draw(
        series.marks.filter { $0.cause == cause }, of: cause, from: laneTop, height: laneHeight,
        unit: unit, on: &canvas)
    }
    if series.points.isEmpty {
      canvas.sayNothingMeasured()
      return canvas.finish()
    }
    for (colour, value) in [
      (PlotColour.orange, \TimingSeries.Point.durationNanoseconds),
      (PlotColour.blue, \.latenessNanoseconds),
    ] {
      for stretch in stretches(series.points, period: period) {
        canvas.polyline(
          outline(stretch, value, unit: unit, on: canvas), colour: colour, width: 1.2)
      }
    }
    for period in lines { canvas.horizontalLine(at: period) }
    return canvas.finish()
  }

  /// Draws a row of marks with its name before it.
  private static func draw(
    _ marks: [TimingSeries.Mark], of cause: CycleCause, from top: Double, height: Double,
    unit: TimeUnit, on canvas: inout PlotCanvas
  ) {
    // Overlapping marks are drawn once.
    let places = Set(
      marks.map {
        (canvas.pixel(x: Double($0.timeNanoseconds) / unit.nanoseconds) * 2).rounded() / 2
      })
    let path = places.sorted().map {
      "M\(PlotCanvas.number($0)) \(PlotCanvas.number(top + 2))v\(PlotCanvas.number(height - 4))"
    }.joined()
    canvas.text(
      name(of: cause), x: PlotCanvas.left - 7, y: top + height - 4, anchor: "end",
      colour: PlotColour.faintText)
    canvas.path(path, colour: PlotColour.vermilion, width: 1.5)
  }

  /// Splits points where stretches with cycles are missing. Stretches shorter than the period may be empty without a
  /// gap.
  private static func stretches(
    _ points: [TimingSeries.Point], period: Double
  ) -> [[TimingSeries.Point]] {
    let sorted = points.sorted { $0.timeNanoseconds < $1.timeNanoseconds }
    let distances = zip(sorted, sorted.dropFirst()).map { $1.timeNanoseconds - $0.timeNanoseconds }
    let length = Double(distances.filter { $0 > 0 }.min() ?? 0)
    let greatestDistance = 2.1 * (length > period ? length : period)
    var result: [[TimingSeries.Point]] = []
    for (place, point) in sorted.enumerated() {
      if place > 0, Double(distances[place - 1]) <= greatestDistance {
        result[result.count - 1].append(point)
      } else {
        result.append([point])
      }
    }
    return result
  }

  /// Returns a line through the greatest value of each column of pixels.
  private static func outline(
    _ points: [TimingSeries.Point], _ value: KeyPath<TimingSeries.Point, UInt64>, unit: TimeUnit,
    on canvas: PlotCanvas
  ) -> [(x: Double, y: Double)] {
    var line: [(x: Double, y: Double)] = []
    for point in points {
      let x = canvas.pixel(x: Double(point.timeNanoseconds) / unit.nanoseconds).rounded()
      let y = canvas.pixel(y: Double(point[keyPath: value]))
      if let last = line.last, last.x == x {
        // Pixels are counted downwards.
        line[line.count - 1].y = y < last.y ? y : last.y
      } else {
        line.append((x, y))
      }
    }
    // A single column must be visible, too.
    if line.count == 1 { line.append((line[0].x + 1, line[0].y)) }
    return line
  }
}
