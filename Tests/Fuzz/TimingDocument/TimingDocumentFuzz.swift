// SPDX-License-Identifier: MIT

import FoundationEssentials
import RenderCore

@testable import TimingReport

/// Reads the input as a file of measured runs, and shows it in all forms of `drawbar bench`. Most inputs are not
/// such a file, so a document with the input's bits as its numbers is shown, too. The forms that take a hundred
/// times as long as the others are made from one input in sixteen.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTimingDocument(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = unsafe [UInt8](UnsafeBufferPointer(start: data, count: count))
  let inFull = input.reduce(0, &+) % 16 == 0
  if let document = try? JSONDecoder().decode(TimingDocument.self, from: Data(input)) {
    checkRoundTrip(document)
    show(document, inFull: inFull, size: count)
  }
  var bits = Bits(input)
  let document = bits.document()
  checkRoundTrip(document)
  show(document, inFull: inFull, size: count)
  return 0
}

/// Checks that a document is unchanged as JSON. A document with an infinite number or NaN cannot be written.
private func checkRoundTrip(_ document: TimingDocument) {
  guard let written = try? JSONEncoder().encode(document) else { return }
  guard let again = try? JSONDecoder().decode(TimingDocument.self, from: written) else {
    fatalError("what was written is refused")
  }
  precondition(again == document, "another document was read")
}

/// Checks the bound of each form's size: markup is at most six times as long as its text, which occurs a few
/// times.
private func show(_ document: TimingDocument, inFull: Bool, size: Int) {
  let bound = (1 << 18) * (1 + document.runs.count) + 100 * size
  var table = ""
  TimingTable(document).write(to: &table)
  var comparison = ""
  ComparisonTable(TimingComparison(document, document)).write(to: &comparison)
  var texts = [table, comparison]
  for quantity in TimingStatistics.Quantity.allCases {
    texts.append(TimingPlot.percentiles(of: document.runs, quantity: quantity).svg)
  }
  if inFull {
    texts.append(TimingPage(document).html)
    for percentiles in PercentileText.texts(of: .duration, in: document) {
      var text = ""
      percentiles.write(to: &text)
      texts.append(text)
    }
  }
  for text in texts { precondition(text.utf8.count <= bound, "\(text.utf8.count) bytes are shown") }
}

/// Numbers from an input's bits, first unchanged and then mixed.
private struct Bits {
  private let input: [UInt8]
  private var place = 0
  private var mixed: UInt64 = 0

  init(_ input: [UInt8]) { self.input = input }

  mutating func next() -> UInt64 {
    guard place + 8 <= input.count else {
      mixed = mixed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return mixed
    }
    let bits = input[place..<place + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    place += 8
    mixed ^= bits
    return bits
  }

  private mutating func integer() -> Int { Int(bitPattern: UInt(next())) }

  private mutating func number() -> Double { Double(bitPattern: next()) }

  private mutating func cause() -> CycleCause {
    CycleCause.allCases[Int(next() % UInt64(CycleCause.allCases.count))]
  }

  mutating func document() -> TimingDocument {
    let text = String(decoding: input.prefix(64), as: UTF8.self)
    var machine = MachineFacts(kernel: text, processors: integer(), loadAverages: [number()])
    machine.realtimeRuntimeMicroseconds = integer()
    machine.lockableBytes = next()
    machine.stealNanosecondsPerSecond = next()
    var document = TimingDocument(
      command: text, machine: machine, runs: (0..<1 + Int(next() % 3)).map { _ in run(text) })
    document.sustainableLoads = [SustainableLoad(periodFrames: integer(), share: number())]
    return document
  }

  private mutating func run(_ text: String) -> TimingRun {
    var series = TimingSeries()
    for _ in 0..<next() % 8 {
      series.points.append(
        .init(timeNanoseconds: next(), latenessNanoseconds: next(), durationNanoseconds: next()))
      series.marks.append(.init(timeNanoseconds: next(), cause: cause()))
    }
    var distributions: [String: TimingDistribution] = [:]
    for quantity in TimingStatistics.Quantity.allCases {
      distributions[quantity.rawValue] = TimingDistribution(
        buckets: (0..<next() % 4).map { _ in .init(nanoseconds: next(), count: next()) })
    }
    return TimingRun(
      subject: text,
      conditions: TimingConditions(
        periodFrames: integer(), sampleRate: number(), input: "", streams: integer(), load: text),
      repetition: integer(), cycles: next(), missedCycles: next(), xruns: next(),
      preemptedCycles: next(), longestUnpreemptedNanoseconds: next(), packets: next(),
      lostRecords: next(), causes: [cause().rawValue: next()], dspLoad: number(),
      leastBufferedNanoseconds: next(),
      process: ProcessCost(
        wallNanoseconds: next(), cpuNanoseconds: next(), voluntarySwitches: next(),
        involuntarySwitches: next(), residentBytes: next(), anonymousBytes: next()),
      distributions: distributions, series: series, incidents: [incident()])
  }

  private mutating func incident() -> TimingStatistics.Incident {
    let records = (0..<next() % 4).map { _ in
      var record = CycleRecord(
        index: next(), entryNanoseconds: next(), durationNanoseconds: next(),
        frameTime: UInt32(truncatingIfNeeded: next()), frameCount: integer())
      record.wakeFrames = integer()
      record.missedFrames = integer()
      record.bufferedNanoseconds = next()
      return record
    }
    return TimingStatistics.Incident(
      badCycle: BadCycle(index: next(), cause: cause(), overrunNanoseconds: next()),
      records: records)
  }
}
