// SPDX-License-Identifier: MIT

import Testing

@testable import TimingReport

@Suite("A plot")
struct TimingPlotTests {
  private static let run = SampleRuns.run(
    cycles: 5000, causes: [.wokenLate, .server, .wokenLate])
  private static let runs = ["empty client", "drawbar"].flatMap { subject in
    [64, 256].flatMap { period in
      (0..<2).map {
        SampleRuns.run(
          subject: subject, periodFrames: period, repetition: $0, cycles: 2000,
          durationMicroseconds: subject == "drawbar" ? 80 : 3, seed: UInt64($0 + period))
      }
    }
  }
  private static let plots: [TimingPlot] = [
    .series(of: run), .histogram(of: run), .percentiles(of: runs, quantity: .lateness),
    .durationAgainstDeadline(of: runs),
    .sustainableLoad([64, 128, 256].map { .init(periodFrames: $0, share: Double($0) / 300) }),
  ]

  private func texts(_ plot: TimingPlot) throws -> [String] {
    try MarkupReading(plot.svg)["text"].map { $0.text.replacing("\u{A0}", with: " ") }
  }

  @Test("is a picture with a title and a description", arguments: plots)
  func accessible(plot: TimingPlot) throws {
    let reading = try MarkupReading(plot.svg)
    let svg = try #require(reading.elements.first)
    #expect(svg.name == "svg" && svg.attributes["role"] == "img")
    #expect(svg.attributes["xmlns"] == "http://www.w3.org/2000/svg")
    #expect(svg.attributes["width"] == "760" && svg.attributes["font-family"] == "sans-serif")
    #expect(reading["title"].map(\.text) == [plot.title])
    #expect(reading["desc"].map(\.text) == [plot.explanation])
    for outside in ["href", "url(", "<style", "<script", "@import"] {
      #expect(!plot.svg.contains(outside))
    }
  }

  @Test("has all its elements inside", arguments: plots)
  func inside(plot: TimingPlot) throws {
    try PlotBounds(plot).check()
  }

  @Test("has no overlapping texts", arguments: plots)
  func apart(plot: TimingPlot) throws {
    try PlotBounds(plot).checkTextsAreApart()
  }

  @Test("over time shows the period and the bad cycles' causes")
  func series() throws {
    let texts = try texts(.series(of: Self.run))
    for text in ["lateness", "duration", "period 1.33 ms", "Time since the start [s]"] {
      #expect(texts.contains(text))
    }
    #expect(texts.contains("woken late") && texts.contains("server late"))
    #expect(!texts.contains("starved"))
    #expect(texts.contains("100 µs") && texts.contains("0") && texts.contains("6"))
    let calm = SampleRuns.run(cycles: 1000)
    #expect(try !self.texts(.series(of: calm)).contains("woken late"))
  }

  @Test("over time keeps a spike that is a thousandth of the run")
  func spike() throws {
    var run = SampleRuns.run(cycles: 20_000)
    run.series.points[500].latenessNanoseconds = 50_000_000
    let top = try #require(PlotBounds(.series(of: run)).lines(PlotColour.blue).map(\.y).min())
    // The axis extends to 50 ms.
    let plot = try MarkupReading(TimingPlot.series(of: run).svg)
    let area = try #require(plot["rect"].first { $0.attributes["fill"] == "none" })
    let areaTop = try #require(area.attributes["y"].flatMap(Double.init))
    #expect(abs(top - areaTop) < 0.2)
  }

  @Test("over time has gaps for missing stretches")
  func gap() throws {
    var run = SampleRuns.run(cycles: 5000)
    func lines() throws -> Int {
      try MarkupReading(TimingPlot.series(of: run).svg)["path"].count {
        $0.attributes["stroke"] == PlotColour.blue && $0.attributes["stroke-width"] == "1.2"
      }
    }
    #expect(try lines() == 1)
    run.series.points.removeSubrange(400..<500)
    #expect(try lines() == 2)
    // With cycles of 21 ms, only every second or third stretch of 10 ms has one.
    run.conditions.periodFrames = 1024
    run.series.points = (0..<300).map {
      .init(
        timeNanoseconds: $0 * 21_333_333 / 10_000_000 * 10_000_000, latenessNanoseconds: 30_000,
        durationNanoseconds: 100_000)
    }
    #expect(try lines() == 1)
  }

  @Test("of a histogram counts every cycle in a column of a twentieth of a decade")
  func histogram() throws {
    let columns = HistogramColumns(
      TimingDistribution(buckets: [
        .init(nanoseconds: 0, count: 3), .init(nanoseconds: 100, count: 4),
        .init(nanoseconds: 1001, count: 5), .init(nanoseconds: 1050, count: 6),
        .init(nanoseconds: 10_010, count: 1),
      ]))
    #expect(columns.counts == [0: 7, 21: 11, 41: 1])
    #expect(abs(HistogramColumns.lowerEdge(21) - 1000) < 1e-6)
    let texts = try texts(.histogram(of: Self.run))
    #expect(texts.contains("Cycles") && texts.contains("1") && texts.contains("1 000"))
  }

  @Test("of percentiles has its nines at equal distances")
  func percentiles() throws {
    let labels = TimingPlot.percentileLabels(upTo: 20_000)
    #expect(
      labels.map { $0.text.replacing("\u{A0}", with: " ") }
        == ["0 %", "50 %", "90 %", "99 %", "99.9 %", "99.99 %"])
    #expect(labels.map(\.value) == [1, 2, 10, 100, 1000, 10_000])
  }

  @Test("of percentiles rises at the share of cycles with a value")
  func percentileSteps() throws {
    var run = SampleRuns.run(cycles: 1000)
    // 900 of 1000 have 10 µs: the line rises at 90 %.
    run.distributions["lateness"] = TimingDistribution(buckets: [
      .init(nanoseconds: 10_000, count: 900), .init(nanoseconds: 100_000, count: 100),
    ])
    let plot = TimingPlot.percentiles(of: [run], quantity: .lateness)
    let places = try PlotBounds(plot).lines(PlotColour.blue).filter { $0.y > 80 }
    let label = try #require(
      try MarkupReading(plot.svg)["text"].first { $0.text == "90\u{A0}%" }?.attributes["x"])
    #expect(places.count == 4 && places[1].y == places[0].y && places[3].y == places[2].y)
    #expect(abs(places[1].x - (Double(label) ?? 0)) < 0.2)
    #expect(places[1].x == places[2].x && places[2].y < places[1].y)
  }

  @Test("of the headroom by percentile falls to the least")
  func headroom() throws {
    var run = SampleRuns.run(cycles: 1000)
    run.distributions["headroom"] = TimingDistribution(buckets: [
      .init(nanoseconds: 100_000, count: 1), .init(nanoseconds: 1_000_000, count: 999),
    ])
    let plot = TimingPlot.percentiles(of: [run], quantity: .headroom)
    let places = try PlotBounds(plot).lines(PlotColour.blue).filter { $0.y > 80 }
    #expect(places.count >= 3 && places[1].y == places[0].y && places[2].y > places[1].y)
    #expect(try texts(plot).contains("Cycles that have at least the value"))
  }

  @Test("of several runs names them by their distinguishing conditions")
  func legend() throws {
    let texts = try texts(
      .percentiles(of: Self.runs.filter { $0.conditions.periodFrames == 64 }, quantity: .duration))
    #expect(texts.contains("drawbar (2 runs)") && texts.contains("empty client (2 runs)"))
    #expect(texts.contains("64 frames, 48000 Hz, mp3 44100 Hz, 1 stream, no load"))
    #expect(texts.contains("period 1.33 ms"))
    let both = try self.texts(.percentiles(of: Self.runs, quantity: .duration))
    #expect(both.contains("drawbar, 256 frames (2 runs)"))
    #expect(!both.contains { $0.hasPrefix("period") })
  }

  @Test("names no streams of a client without streams")
  func silentClient() throws {
    var floor = SampleRuns.run(subject: "empty client", cycles: 100)
    floor.conditions.input = "silence"
    floor.conditions.streams = 0
    let runs = [floor, SampleRuns.run(cycles: 100)]
    let texts = try texts(.percentiles(of: runs, quantity: .lateness))
    #expect(texts.contains("empty client, silence"))
    #expect(texts.contains("drawbar, mp3 44100 Hz, 1 stream"))
    #expect(
      try self.texts(.series(of: floor)).contains(
        "empty client, 64 frames, 48000 Hz, silence, no load"))
  }

  @Test("states the number of runs without a colour")
  func tooMany() throws {
    let runs = (0..<20).map { SampleRuns.run(subject: "client \($0)", cycles: 100) }
    let percentiles = try texts(.percentiles(of: runs, quantity: .lateness))
    #expect(percentiles.contains { $0.hasSuffix("(not drawn: 6 more)") })
    let deadline = try texts(.durationAgainstDeadline(of: runs))
    #expect(deadline.contains { $0.hasSuffix("(not drawn: 13 more)") })
  }

  @Test("against the deadline has a box for each subject at each period")
  func deadline() throws {
    let reading = try MarkupReading(TimingPlot.durationAgainstDeadline(of: Self.runs).svg)
    for colour in [PlotColour.blue, PlotColour.vermilion] {
      // Two periods, and one box in the legend.
      #expect(reading["rect"].count { $0.attributes["fill"] == colour } == 3)
    }
    let texts = reading["text"].map(\.text)
    #expect(texts.contains("64") && texts.contains("256") && texts.contains("deadline"))
  }

  @Test("of sustainable loads has bars as high as their shares")
  func sustainableLoad() throws {
    let plot = TimingPlot.sustainableLoad([
      .init(periodFrames: 256, share: 1), .init(periodFrames: 64, share: 0.5),
      .init(periodFrames: 128, share: .nan),
    ])
    let bars = try MarkupReading(plot.svg)["rect"].filter {
      $0.attributes["fill"] == PlotColour.blue
    }
    #expect(bars.map { $0.attributes["height"] } == ["130", "260"])
    let texts = try texts(plot)
    #expect(texts.contains("50 %") && texts.contains("100 %") && texts.contains("–"))
  }
}

/// The positions of a plot's parts.
struct PlotBounds {
  let reading: MarkupReading
  let width: Double
  let height: Double

  init(_ plot: TimingPlot) throws {
    reading = try MarkupReading(plot.svg)
    let svg = reading.elements[0].attributes
    width = try #require(svg["width"].flatMap(Double.init))
    height = try #require(svg["height"].flatMap(Double.init))
  }

  /// The points of the lines of a colour.
  func lines(_ colour: String) -> [(x: Double, y: Double)] {
    reading["path"].filter {
      $0.attributes["stroke"] == colour && $0.attributes["fill"] == "none"
    }.flatMap { path in
      (path.attributes["d"] ?? "").split { $0 == "M" || $0 == "L" }.compactMap { place in
        let numbers = place.split(separator: " ").compactMap { Double($0) }
        return numbers.count == 2 ? (numbers[0], numbers[1]) : nil
      }
    }
  }

  func check() throws {
    for element in reading.elements {
      for (name, limit) in [("x", width), ("y", height), ("width", width), ("height", height)] {
        guard let text = element.attributes[name] else { continue }
        let value = try #require(Double(text), "\(element)")
        #expect(value >= 0 && value <= limit, "\(element)")
      }
    }
    for path in reading["path"] {
      let numbers = (path.attributes["d"] ?? "").split { $0 == " " || $0.isLetter }
      #expect(numbers.allSatisfy { Double($0).map { abs($0) <= max(width, height) } ?? false })
    }
    for text in try texts() {
      let isInside = text.left >= 0 && text.right <= width
      #expect(isInside, "\(text)")
    }
  }

  func checkTextsAreApart() throws {
    let texts = try texts()
    for (place, text) in texts.enumerated() {
      for other in texts[..<place] where abs(text.y - other.y) < 11 {
        #expect(text.left >= other.right || other.left >= text.right, "\(text) \(other)")
      }
    }
  }

  private struct Text {
    var text: String
    var left: Double
    var right: Double
    var y: Double
  }

  /// Horizontal texts, with their width in DejaVu Sans.
  private func texts() throws -> [Text] {
    try reading["text"].filter { $0.attributes["transform"] == nil }.map { element in
      let x = try #require(element.attributes["x"].flatMap(Double.init))
      let y = try #require(element.attributes["y"].flatMap(Double.init))
      let isTitle = element.attributes["font-size"] != nil
      let width = Double(element.text.count) * (isTitle ? 9.2 : 6.3)
      let shares = ["middle": 0.5, "end": 1.0]
      let before = width * (shares[element.attributes["text-anchor"] ?? ""] ?? 0)
      return Text(text: element.text, left: x - before, right: x - before + width, y: y)
    }
  }
}
