// SPDX-License-Identifier: MIT

/// A document as one page of HTML: the verdict, tables, plots and the worst incidents. It has no script and loads
/// nothing, and it shows markup in the document's texts as text.
public struct TimingPage: Sendable {
  /// The document to show.
  public let document: TimingDocument
  /// The page's title.
  public let title: String

  /// The maximum number of runs whose own plots are shown at first.
  private static let openRuns = 4

  /// Creates a page of this document.
  public init(_ document: TimingDocument, title: String = "Timing report") {
    self.document = document
    self.title = title
  }

  /// The page's HTML. Its time grows with the number of runs: not for the render thread.
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
          TimingVerdict(document).write(to: &main)
          main.element("p") { paragraph in
            paragraph.text(document.machine.summary + ". Command: ")
            paragraph.element("code", text: document.command)
          }
          writeComparingPlots(to: &main)
          writeRuns(to: &main)
          write(document.machine, to: &main)
          for (place, run) in document.runs.enumerated() { write(run, at: place, to: &main) }
          TimingDefinitions.write(to: &main)
        }
      }
    }
    return page.markup + "\n"
  }

  /// Writes the plots that compare runs: the percentiles at each period, and the durations at all periods.
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
    main.element("div", ["class": "plots"]) { plots in
      write(.durationAgainstDeadline(of: document.runs), to: &plots)
      if !document.sustainableLoads.isEmpty {
        write(.sustainableLoad(document.sustainableLoads), to: &plots)
      }
      for runs in periods {
        for quantity in [TimingStatistics.Quantity.lateness, .duration] {
          write(.percentiles(of: runs, quantity: quantity), to: &plots)
        }
      }
    }
  }

  /// Writes a run's own plots and incidents.
  private func write(_ run: TimingRun, at place: Int, to main: inout MarkupWriter) {
    let isOpen = document.runs.count <= Self.openRuns
    main.newLine()
    main.element("details", isOpen ? ["open": "open"] : [:]) { section in
      section.element("summary") { summary in
        summary.element("h2", text: "Run \(place + 1): \(Self.name(of: run))")
      }
      section.element("div", ["class": "plots"]) { plots in
        write(.series(of: run), to: &plots)
        write(.histogram(of: run), to: &plots)
      }
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

  /// Writes a section's heading.
  func heading(_ text: String, to writer: inout MarkupWriter) {
    writer.newLine()
    writer.element("h2", text: text)
  }

  /// Returns the subject, the conditions and the repetition of a run.
  static func name(of run: TimingRun) -> String {
    let name = RunLabels.full(run.key)
    return run.repetition > 0 ? "\(name), repetition \(run.repetition)" : name
  }

  private static let style = """
    :root{color-scheme:light dark;--text:#222;--page:#fff;--line:#ccc;--head:#f2f2f2;--bad:#fbe3d6;--faint:#555}
    @media (prefers-color-scheme:dark){
    :root{--text:#ddd;--page:#1b1b1d;--line:#555;--head:#2b2b2e;--bad:#5a3320;--faint:#aaa}
    figure svg{filter:invert(.9) hue-rotate(180deg)}
    a{color:#8cf}}
    body{margin:0;background:var(--page);color:var(--text);font:15px/1.45 sans-serif}
    main{padding:1em 24px 3em}
    h1{font-size:1.6em}
    .verdict{background:var(--head);padding:.2em 1em}
    .plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(560px,100%),1fr));gap:0 24px}
    .summary{font-size:1.2em;font-weight:bold}
    h2{font-size:1.2em;margin:1.8em 0 .5em}
    h3{font-size:1em;margin:1.2em 0 .3em}
    summary h2{display:inline}
    summary{margin:1.8em 0 .5em;cursor:pointer}
    code{overflow-wrap:anywhere;background:var(--head);padding:0 .2em}
    .wide{overflow-x:auto}
    table{border-collapse:collapse;font-size:13px;margin:.5em 0 1em}
    caption{text-align:left;padding:.3em 0}
    th,td{border:1px solid var(--line);padding:.2em .5em;text-align:left;vertical-align:top}
    thead th{background:var(--head)}
    tbody th{font-weight:normal;min-width:5em}
    td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
    tr.bad{background:var(--bad);font-weight:bold}
    tr.bad th{font-weight:bold}
    figure{margin:1em 0;max-width:900px}
    figure svg{width:100%;height:auto;border:1px solid var(--line)}
    figcaption{font-size:13px;color:var(--faint)}
    dt{font-weight:bold;margin-top:.6em}
    dd{margin-left:1.5em}
    @media print{details,.definitions{display:none}
    main{padding:0}
    body{font-size:11px}
    table{font-size:8px}
    .plots{grid-template-columns:1fr 1fr 1fr}
    figure{break-inside:avoid;margin:.4em 0}}
    """
}
