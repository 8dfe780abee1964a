// SPDX-License-Identifier: MIT

internal import RenderCore

extension TimingPage {
  /// The number of worst bad cycles shown for each run, besides the worst of each cause.
  private static let shownIncidents = 5

  /// Writes the worst bad cycles of a run, each with the cycles around it.
  func writeIncidents(of run: TimingRun, to writer: inout MarkupWriter) {
    writer.newLine()
    writer.element("h3", text: "Worst bad cycles")
    if run.incidents.isEmpty {
      writer.element("p", text: "There were none.")
      return
    }
    let bad = run.causes.values.reduce(UInt64(0)) { $0.addingSaturated($1) }
    var seen: Set<CycleCause> = []
    let shown = run.incidents.enumerated().filter { place, incident in
      seen.insert(incident.badCycle.cause).inserted || place < Self.shownIncidents
    }.map(\.element)
    writer.element(
      "p",
      text: "Shown: \(shown.count) of \(NumberText.count(bad)), the worst ones "
        + "and of each cause one, the worst first.")
    for incident in shown { write(incident, to: &writer) }
  }

  private func write(_ incident: TimingStatistics.Incident, to writer: inout MarkupWriter) {
    let bad = incident.badCycle
    let cause = TimingPlot.name(of: bad.cause) + (bad.node.map { " in \($0)" } ?? "")
    let overrun =
      bad.overrunNanoseconds > 0
      ? ", overrun \(NumberText.time(nanoseconds: Double(bad.overrunNanoseconds)))" : ""
    let entry = incident.records.first { $0.index == bad.index }?.entryNanoseconds
    Self.table(
      caption: "Cycle \(NumberText.count(bad.index)): \(cause)\(overrun)",
      headers: [
        "Cycle", "Entry against the bad one [µs]", "Wake-up [frames]", "Duration [µs]",
        "of that sources [µs]", "user's callbacks [µs]", "slowest node [µs]", "Missed frames",
        "Packets",
        "Sound in the ring", "Remarks",
      ],
      rows: incident.records.map { record in
        (
          NumberText.count(record.index), record.index == bad.index,
          Self.cells(of: record, entryOfBad: entry)
        )
      }, to: &writer)
  }

  private static func cells(of record: CycleRecord, entryOfBad: UInt64?) -> [Cell] {
    let distance = entryOfBad.map {
      Double(Int64(bitPattern: record.entryNanoseconds &- $0)) / 1000
    }
    let remarks = [
      (record.isStarved, "starved"), (record.wasPreempted == true, "preempted"),
      (record.isHeld, "held"), (record.isFreewheeling, "freewheeling"),
    ].filter(\.0).map(\.1)
    return [
      .number(distance.map { NumberText.decimal($0, digits: 1) } ?? NumberText.none),
      .number(String(record.wakeFrames)),
      .number(NumberText.microseconds(record.durationNanoseconds)),
      .number(NumberText.microseconds(record.sourceNanoseconds)),
      .number(NumberText.microseconds(record.callbackNanoseconds)),
      .number(record.slowestNodeNanoseconds.map(NumberText.microseconds) ?? NumberText.none),
      .number(record.isMeasured ? String(record.missedFrames) : NumberText.none),
      .number(String(record.packets)),
      .number(
        record.bufferedNanoseconds.map { NumberText.time(nanoseconds: Double($0)) }
          ?? NumberText.none),
      .text(remarks.joined(separator: ", ")),
    ]
  }
}
