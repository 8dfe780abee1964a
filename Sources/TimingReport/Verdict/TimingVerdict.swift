// SPDX-License-Identifier: MIT

/// The verdict on measured runs: the number of bad cycles, their causes, and remedies.
///
/// Runs of the empty client only serve as a comparison.
public struct TimingVerdict: Sendable, Equatable {
  /// A fact that causes bad cycles or makes them likely, and its remedy.
  public struct Finding: Sendable, Equatable {
    /// The fact, in one or two sentences.
    public var fact: String
    /// The remedy, as a sentence.
    public var remedy: String
    /// The address of a page about the remedy.
    public var link: String?
  }

  /// One or two sentences, such as `199 of 2213 cycles were bad: 116 woken late, 83 over budget.`
  public let summary: String
  /// The findings, the most important one first.
  public let findings: [Finding]

  /// Judges the runs of a document.
  public init(_ document: TimingDocument) {
    var runs = document.runs.filter { $0.subject != TimingRun.emptyClient }
    let empty = CycleCount(document.runs.filter { $0.subject == TimingRun.emptyClient })
    if runs.isEmpty { runs = document.runs }
    let count = CycleCount(runs)
    summary = Self.summary(of: count, beside: runs.count < document.runs.count ? empty : nil)
    findings =
      count.cycles == 0
      ? []
      : Self.rightsFindings(document.runs, document.machine)
        + Self.causeFindings(runs, count, document.machine)
  }

  private static func summary(of count: CycleCount, beside empty: CycleCount?) -> String {
    if count.cycles == 0 { return "Nothing was measured." }
    let cycles = NumberText.count(count.cycles)
    var text = "All \(cycles) cycles were in time."
    if count.bad > 0 {
      let causes = count.causes.map {
        "\(NumberText.count($0.count)) \(TimingPlot.name(of: $0.cause))"
      }
      let verb = count.bad == 1 ? "was" : "were"
      text =
        "\(NumberText.count(count.bad)) of \(cycles) cycles \(verb) bad: "
        + causes.joined(separator: ", ") + "."
    }
    if let empty, empty.cycles > 0 {
      text +=
        " An empty callback beside it had \(NumberText.count(empty.bad)) bad of "
        + "\(NumberText.count(empty.cycles))."
    }
    return text
  }
}

/// The cycles of runs, the bad ones among them, and their causes.
struct CycleCount {
  let cycles: UInt64
  let bad: UInt64
  /// The causes that occurred, the most frequent one first.
  let causes: [(cause: CycleCause, count: UInt64)]
  /// The nodes that were over budget, the most frequent one first.
  let slowNodes: [(name: String, count: UInt64)]

  init(_ runs: [TimingRun]) {
    cycles = runs.reduce(0) { $0.addingSaturated($1.cycles) }
    causes = CycleCause.allCases
      .map { cause in (cause, runs.reduce(0) { $0.addingSaturated($1.count(of: cause)) }) }
      .filter { $0.1 > 0 }
      .sorted { $0.1 > $1.1 }
    bad = causes.reduce(0) { $0.addingSaturated($1.count) }
    var nodes: [String: UInt64] = [:]
    for run in runs { nodes.merge(run.slowNodes ?? [:]) { $0.addingSaturated($1) } }
    slowNodes = nodes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
  }

  func count(of cause: CycleCause) -> UInt64 {
    causes.first { $0.cause == cause }?.count ?? 0
  }
}
