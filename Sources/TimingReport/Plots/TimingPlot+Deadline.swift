// SPDX-License-Identifier: MIT

internal import Glibc

extension TimingPlot {
  /// Returns a plot of the callback's duration at each period, beside the available time: a box from the median to
  /// 99 %, a line up to the greatest value, and the deadline. Each subject and load has its own box.
  ///
  /// Repetitions are joined. Of more than 7 subjects and loads the first 7 are drawn, and the subtitle states the
  /// number of the others.
  public static func durationAgainstDeadline(of runs: [TimingRun]) -> TimingPlot {
    let measured = runs.filter {
      $0.conditions.periodFrames > 0 && $0.conditions.periodNanoseconds > 0 && $0[.duration] != nil
    }
    // The period is the x axis, and must not separate groups.
    var groups = RunGroup.groups(
      of: measured.map {
        var run = $0
        run.conditions.periodFrames = 1
        return run
      })
    let count = groups.count
    groups = Array(groups.prefix(PlotColour.series.count))
    let boxes = groups.map { group in durations(of: group.key, in: measured) }
    let periods = Set(boxes.joined().map(\.periodFrames)).sorted()
    let rates = Set(groups.map(\.key.conditions.sampleRate)).sorted()
    let deadlines = rates.map { rate in
      periods.map { (Double($0), Double($0) * 1_000_000_000 / rate) }
    }
    let labels = RunLabels(groups.map(\.key), isPeriodShown: true)
    let x = periodScale(periods)
    let y = AxisScale.logarithmic(
      covering: boxes.joined().flatMap { [$0.p50, $0.maximum] }
        // As far beyond the last box as the line goes.
        + deadlines.joined().map { $0.1 * 1.5 },
      atLeast: plotFloorNanoseconds)
    var canvas = PlotCanvas(
      title: "Duration against the deadline",
      subtitle: subtitle(labels.common, drawn: groups.count, of: count),
      explanation: """
        The callback's duration at each period: a box from the median to the value that 99 % do not exceed, \
        a line up to the greatest value. The dashed line is the time that a cycle has.
        """,
      legend: legend(groups, labels, shape: .box)
        + [.init(text: "deadline", colour: PlotColour.black, dashes: periodDashes)], x: x, y: y)
    canvas.axes(
      xTitle: "Period [frames]", yTitle: "Duration",
      xLabels: periods.map { .init(value: Double($0), text: String($0)) }, yLabels: timeLabels(y),
      yLines: y.ticks().map(\.value))
    if periods.isEmpty {
      canvas.sayNothingMeasured()
      return canvas.finish()
    }
    let slot = slotWidth(periods, on: canvas)
    for line in deadlines { draw(deadline: line, slot: slot, on: &canvas) }
    for (place, boxes) in boxes.enumerated() {
      let width = slot / Double(groups.count)
      for box in boxes {
        let left = canvas.pixel(x: Double(box.periodFrames)) - slot / 2 + width * Double(place)
        draw(box, from: left, width: width, colour: PlotColour.series[place], on: &canvas)
      }
    }
    return canvas.finish()
  }

  /// The durations at a period.
  private struct Durations {
    var periodFrames: Int
    var p50: Double
    var p99: Double
    var maximum: Double
  }

  private static func durations(of key: RunGroup.Key, in runs: [TimingRun]) -> [Durations] {
    var distributions: [Int: [TimingDistribution]] = [:]
    for run in runs {
      var runKey = run.key
      runKey.conditions.periodFrames = 1
      if runKey == key, let distribution = run[.duration] {
        distributions[run.conditions.periodFrames, default: []].append(distribution)
      }
    }
    return distributions.compactMap { periodFrames, parts in
      let whole = TimingDistribution(joining: parts)
      guard whole.count > 0 else { return nil }
      return Durations(
        periodFrames: periodFrames, p50: Double(whole.p50Nanoseconds),
        p99: Double(whole.p99Nanoseconds), maximum: Double(whole.maximumNanoseconds))
    }.sorted { $0.periodFrames < $1.periodFrames }
  }

  /// Returns a logarithmic axis with half an octave beside the periods, so that their boxes have room.
  private static func periodScale(_ periods: [Int]) -> AxisScale {
    let first = Double(periods.first ?? 64)
    let last = Double(periods.last ?? 64)
    // At least a factor of 10, with the periods in the middle.
    let widening = [1.5, sqrt(10 / (last / first))].max() ?? 1.5
    return .logarithmic(from: first / widening, to: last * widening)
  }

  /// Returns the width of a period's boxes in pixels, so that the boxes of neighbouring periods do not meet.
  private static func slotWidth(_ periods: [Int], on canvas: PlotCanvas) -> Double {
    let places = periods.map { canvas.pixel(x: Double($0)) }
    let nearest = zip(places, places.dropFirst()).map { $1 - $0 }.min() ?? 80
    let width = nearest * 0.7
    return width < 2 ? 2 : width > 80 ? 80 : width
  }

  /// Draws the deadline across the periods, and as far beyond them as their boxes go.
  private static func draw(
    deadline points: [(Double, Double)], slot: Double, on canvas: inout PlotCanvas
  ) {
    var places = points.map { (x: canvas.pixel(x: $0.0), y: canvas.pixel(y: $0.1)) }
    guard let first = places.first, let last = places.last else { return }
    // The deadline is proportional to the period: a straight line if both axes are logarithmic.
    let slope = last.x > first.x ? (last.y - first.y) / (last.x - first.x) : 0
    places.insert((first.x - slot / 2, first.y - slope * slot / 2), at: 0)
    places.append((last.x + slot / 2, last.y + slope * slot / 2))
    canvas.polyline(places, colour: PlotColour.black, width: 1.5, dashes: periodDashes)
  }

  private static func draw(
    _ box: Durations, from left: Double, width: Double, colour: String,
    on canvas: inout PlotCanvas
  ) {
    let inner = width * 0.8
    let middle = left + width / 2
    let p50 = canvas.pixel(y: box.p50)
    let p99 = canvas.pixel(y: box.p99)
    let maximum = canvas.pixel(y: box.maximum)
    // At least as high as a line.
    let height = p50 - p99 < 2 ? 2 : p50 - p99
    canvas.path(
      "M\(PlotCanvas.number(middle)) \(PlotCanvas.number(p99))V\(PlotCanvas.number(maximum))",
      colour: colour, width: 1.5)
    canvas.path(
      "M\(PlotCanvas.number(middle - inner / 3)) \(PlotCanvas.number(maximum))"
        + "h\(PlotCanvas.number(inner * 2 / 3))", colour: colour, width: 2)
    canvas.box(
      x: middle - inner / 2, y: p50 - height, width: inner, height: height, colour: colour)
  }
}
