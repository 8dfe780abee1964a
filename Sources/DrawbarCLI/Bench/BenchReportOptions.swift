// SPDX-License-Identifier: MIT

import ArgumentParser
import Glibc
import TimingReport

/// The report files of `drawbar bench`, besides the table: options common to its subcommands.
struct BenchReportOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Write all that was measured, as JSON.", valueName: "file"))
  var json: String?

  @Option(help: ArgumentHelp("Write one page with tables and plots.", valueName: "file"))
  var html: String?

  @Option(
    help: ArgumentHelp(
      "Write the plots as SVG pictures into a folder, which is made if need be.",
      valueName: "folder"))
  var svg: String?

  @Option(
    help: ArgumentHelp(
      """
      Write the callback's durations as HdrHistogram's percentiles, in microseconds; for several kinds of \
      runs into files whose names have a number.
      """, valueName: "file"))
  var hgrm: String?

  /// Checks that the files can be written and are not inputs, and creates the folder for the plots.
  func check(isNoneOf locations: [String]) throws {
    for path in [json, html, hgrm].compactMap(\.self) {
      try WrittenFile(path: path).check(isNoneOf: locations)
    }
    for path in [json, html].compactMap(\.self) { _ = try TimingFile(path: path) }
    if let svg {
      guard unsafe mkdir(svg, 0o777) == 0 || errno == EEXIST else {
        throw TimingFileFailure(path: svg, .cannotWrite(errno))
      }
      _ = try TimingFile(path: svg + "/lateness.svg")
    }
  }

  /// Prints the table and the conclusions, and writes the requested files.
  func write(_ document: TimingDocument, conclusions: [String] = []) throws {
    var text = StandardOutput()
    TimingTable(document).write(to: &text)
    for line in conclusions { text.write(line + "\n") }
    // If standard output fails, the files are still written; the last line here throws the error.
    try? text.flush()
    if let json { try TimingFile(path: json).write(document) }
    if let html {
      let page = TimingPage(document, title: "Drawbar: callback timing")
      try TimingFile(path: html).write(page.html)
    }
    if let svg { try writePlots(of: document, into: svg) }
    if let hgrm { try writePercentiles(of: document, to: hgrm) }
    try text.flush()
  }

  private func writePlots(of document: TimingDocument, into folder: String) throws {
    var plots = [
      ("lateness", TimingPlot.percentiles(of: document.runs, quantity: .lateness)),
      ("duration", TimingPlot.percentiles(of: document.runs, quantity: .duration)),
      ("deadline", TimingPlot.durationAgainstDeadline(of: document.runs)),
    ]
    if !document.sustainableLoads.isEmpty {
      plots.append(("limit", TimingPlot.sustainableLoad(document.sustainableLoads)))
    }
    for (index, run) in document.runs.enumerated() {
      plots.append(("series-\(index + 1)", TimingPlot.series(of: run)))
      plots.append(("histogram-\(index + 1)", TimingPlot.histogram(of: run)))
    }
    for (name, plot) in plots { try TimingFile(path: "\(folder)/\(name).svg").write(plot.svg) }
  }

  private func writePercentiles(of document: TimingDocument, to path: String) throws {
    let texts = PercentileText.texts(of: .duration, in: document)
    for (index, percentiles) in texts.enumerated() {
      var text = ""
      percentiles.write(to: &text)
      let target = texts.count == 1 ? path : Self.numbered(path, index + 1)
      try TimingFile(path: target).write(text)
    }
  }

  /// Returns a path with a number before its extension, such as `out-2.hgrm` for `out.hgrm`.
  static func numbered(_ path: String, _ number: Int) -> String {
    guard let dot = path.lastIndex(of: "."), path[dot...].firstIndex(of: "/") == nil else {
      return "\(path)-\(number)"
    }
    return "\(path[..<dot])-\(number)\(path[dot...])"
  }
}
