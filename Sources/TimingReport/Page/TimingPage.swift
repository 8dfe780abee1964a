// SPDX-License-Identifier: MIT

/// A document as one page of HTML: tables, plots and the worst incidents. It has no script and takes nothing
/// from outside, and what the document's texts have in them is shown, not obeyed.
public struct TimingPage: Sendable {
  /// What is shown.
  public let document: TimingDocument
  /// The page's name.
  public let title: String

  /// Runs of which each is shown with its own plots without being asked for.
  private static let openRuns = 4

  /// A page of this document.
  public init(_ document: TimingDocument, title: String = "Timing report") {
    self.document = document
    self.title = title
  }

  /// The page. It takes as long as there are runs: not for the render thread.
  public var html: String {
    var page = MarkupWriter()
    page.add(markup: "<!DOCTYPE html>\n")
    page.element("html", ["lang": "en"]) { page in
      page.element("head") { page in
        page.empty("meta", ["charset": "utf-8"])
        page.empty("meta", ["name": "viewport", "content": "width=device-width"])
        page.element("title", text: title)
        page.element("style") { $0.add(markup: Self.style) }
      }
      page.newLine()
      page.element("body") { body in
        body.element("main") { main in
          main.element("h1", text: title)
          main.element("p") { paragraph in
            paragraph.text("Command: ")
            paragraph.element("code", text: document.command)
          }
          write(document.machine, to: &main)
          writeRuns(to: &main)
          writeComparingPlots(to: &main)
          for (place, run) in document.runs.enumerated() { write(run, at: place, to: &main) }
          TimingDefinitions.write(to: &main)
        }
      }
    }
    return page.markup + "\n"
  }

  /// What several runs have in one plot: of each period the percentiles, and all periods' durations.
  private func writeComparingPlots(to main: inout MarkupWriter) {
    guard !document.runs.isEmpty else { return }
    heading("Runs beside each other", to: &main)
    var periods: [[TimingRun]] = []
    for run in document.runs {
      let isSame = { (other: TimingRun) in
        other.conditions.periodFrames == run.conditions.periodFrames
          && other.conditions.sampleRate == run.conditions.sampleRate
      }
      if let place = periods.firstIndex(where: { isSame($0[0]) }) {
        periods[place].append(run)
      } else {
        periods.append([run])
      }
    }
    write(.durationAgainstDeadline(of: document.runs), to: &main)
    if !document.sustainableLoads.isEmpty {
      write(.sustainableLoad(document.sustainableLoads), to: &main)
    }
    for runs in periods {
      for quantity in [TimingStatistics.Quantity.lateness, .duration] {
        write(.percentiles(of: runs, quantity: quantity), to: &main)
      }
    }
  }

  /// A run's own plots and incidents.
  private func write(_ run: TimingRun, at place: Int, to main: inout MarkupWriter) {
    let isOpen = document.runs.count <= Self.openRuns
    main.newLine()
    main.element("details", isOpen ? ["open": "open"] : [:]) { section in
      section.element("summary") { summary in
        summary.element("h2", text: "Run \(place + 1): \(Self.name(of: run))")
      }
      write(.series(of: run), to: &section)
      write(.histogram(of: run), to: &section)
      writeIncidents(of: run, to: &section)
    }
  }

  private func write(_ plot: TimingPlot, to writer: inout MarkupWriter) {
    writer.newLine()
    writer.element("figure") { figure in
      figure.add(markup: plot.svg)
      figure.element("figcaption", text: plot.explanation)
    }
  }

  /// A section's heading.
  func heading(_ text: String, to writer: inout MarkupWriter) {
    writer.newLine()
    writer.element("h2", text: text)
  }

  /// The subject, the conditions, and which repetition it is.
  static func name(of run: TimingRun) -> String {
    let name = RunLabels.full(run.key)
    return run.repetition > 0 ? "\(name), repetition \(run.repetition)" : name
  }

  private static let style = """
    body{margin:0;background:#fff;color:#222;font:15px/1.45 sans-serif}
    main{max-width:1100px;margin:0 auto;padding:1em 16px 3em}
    h1{font-size:1.6em}
    h2{font-size:1.2em;margin:1.8em 0 .5em}
    h3{font-size:1em;margin:1.2em 0 .3em}
    summary h2{display:inline}
    summary{margin:1.8em 0 .5em;cursor:pointer}
    code{overflow-wrap:anywhere;background:#f4f4f4;padding:0 .2em}
    .wide{overflow-x:auto}
    table{border-collapse:collapse;font-size:13px;margin:.5em 0 1em}
    caption{text-align:left;padding:.3em 0}
    th,td{border:1px solid #ccc;padding:.2em .5em;text-align:left;vertical-align:top}
    thead th{background:#f0f0f0}
    tbody th{font-weight:normal;min-width:5em}
    td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
    tr.bad{background:#fbe3d6;font-weight:bold}
    tr.bad th{font-weight:bold}
    figure{margin:1em 0;max-width:760px}
    figure svg{max-width:100%;height:auto;border:1px solid #ddd}
    figcaption{font-size:13px;color:#555}
    dt{font-weight:bold;margin-top:.6em}
    dd{margin-left:1.5em}
    """
}
