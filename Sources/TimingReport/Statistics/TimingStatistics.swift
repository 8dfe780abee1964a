// SPDX-License-Identifier: MIT

internal import Histogram
public import RenderCore

/// What an output's cycles were like, over a run: distributions, bad cycles by their causes, and the worst
/// of them with what was around them. One thread at a time; not for the render thread.
///
/// The memory that it takes does not grow with the run.
public struct TimingStatistics: Sendable {
  /// A quantity of a cycle, in nanoseconds.
  public enum Quantity: String, Sendable, CaseIterable {
    /// From the time at which the cycle should have begun to the callback's entry.
    case lateness
    /// From the server's beginning of the cycle to the callback's entry.
    case wake
    /// From the callback's entry to its end.
    case duration
    /// Of that, in sources: decoding, resampling, gain and mixing.
    case sources
    /// From the callback's end to the next cycle's time; 0 when it was too late.
    case headroom
    /// From one callback's entry to the next one's.
    case interval
  }

  /// A bad cycle, with those before and after it.
  public struct Incident: Sendable, Equatable, Codable {
    /// What was wrong.
    public var badCycle: BadCycle
    /// Up to four records before it, its own, and up to four after.
    public var records: [CycleRecord]
  }

  /// Most incidents that are kept: those that overran the most, and the worst of each cause.
  public static let maximumIncidents = 20
  /// So many of each cause are kept whatever else went wrong: a server that was late a hundred times does not
  /// hide the one cycle that took too long.
  public static let incidentsOfEachCause = 3
  /// Nanoseconds at the start that are not counted: the first cycles load what is used for the first time,
  /// and the grid is not known yet.
  public static let warmUpNanoseconds: UInt64 = 500_000_000

  /// Cycles that were counted.
  public private(set) var cycles: UInt64 = 0
  /// Cycles that the server went on without the client.
  public private(set) var missedCycles: UInt64 = 0
  /// Xruns that the server has told of.
  public private(set) var xruns: UInt64 = 0
  /// Packets that converters took.
  public private(set) var packets: UInt64 = 0
  /// Cycles in which the callback lost its processor, late or not, to another thread or, for most of its time, to
  /// others on the machine's host; nil when the kernel does not tell.
  public private(set) var preemptedCycles: UInt64?
  /// The longest callback that kept its processor, in nanoseconds; nil when the kernel does not tell, or there
  /// was none.
  public private(set) var longestUnpreemptedNanoseconds: UInt64?
  /// The counted cycles' periods and durations, in nanoseconds: the one by the other is the load.
  public private(set) var totalPeriodNanoseconds: UInt64 = 0
  /// See ``totalPeriodNanoseconds``.
  public private(set) var totalDurationNanoseconds: UInt64 = 0
  /// The least sound that was left in a ring, in nanoseconds; nil when none played.
  public private(set) var leastBufferedNanoseconds: UInt64?
  /// The worst bad cycles, the one that overran the most first.
  public private(set) var incidents: [Incident] = []

  /// Over-budget cycles by the node that took the longest.
  public private(set) var slowNodes: [String: UInt64] = [:]
  /// The most names in ``slowNodes``.
  private static let maximumNodes = 64

  private let warmUpNanoseconds: UInt64
  private var judge: CycleJudge
  private var recorder = SeriesRecorder()
  private var histograms: [Quantity: Histogram<UInt64>]
  private var causes: [CycleCause: UInt64] = [:]
  /// The first record's time.
  private var began: UInt64?
  /// The last records, the newest last.
  private var recent: [CycleRecord] = []
  /// Bad cycles whose followers are not there yet.
  private var open: [BadCycle] = []

  private static let neighbours = 4

  /// Nothing yet.
  ///
  /// - Parameters:
  ///   - sampleRate: the server's frames per second.
  ///   - warmUpNanoseconds: how much of the start is not counted.
  public init(
    sampleRate: Double, warmUpNanoseconds: UInt64 = TimingStatistics.warmUpNanoseconds
  ) {
    self.warmUpNanoseconds = warmUpNanoseconds
    judge = CycleJudge(sampleRate: sampleRate)
    histograms = [:]
    for quantity in Quantity.allCases {
      // To a thousandth, from a nanosecond to a minute.
      histograms[quantity] = Histogram(
        highestTrackableValue: 60_000_000_000, numberOfSignificantValueDigits: .three)
    }
  }

  /// Frames per second of the server. To be set when that changes.
  public var sampleRate: Double {
    get { judge.sampleRate }
    set { judge.sampleRate = newValue }
  }

  /// What it was like over time.
  public var series: TimingSeries { recorder.series }

  /// Takes in the next record.
  public mutating func add(_ record: CycleRecord) { add(record, waits: nil) }

  /// Takes in the next record.
  ///
  /// - Parameters:
  ///   - waits: how it waited for its processor; nil when that is not known.
  ///   - nodeName: returns the name of the record's slowest node.
  /// - Returns: what was found to be wrong, once the start is over.
  @discardableResult
  mutating func add(
    _ record: CycleRecord, waits: CycleWaits?, nodeName: (UInt32) -> String? = { _ in nil }
  ) -> [BadCycle] {
    var judgement = judge.judge(record, waits: waits)
    for index in judgement.badCycles.indices
    where judgement.badCycles[index].cause == .overBudget
      && judgement.badCycles[index].index == record.index
    {
      judgement.badCycles[index].node = Self.slowest(in: record, nodeName)
    }
    let start = began ?? record.entryNanoseconds
    began = start
    let previous = recent.last
    recent.append(record)
    if recent.count > 2 * Self.neighbours + 1 { recent.removeFirst() }
    defer { closeIncidents(isLast: false) }
    let time = record.entryNanoseconds &- start
    guard time >= warmUpNanoseconds, let timing = judgement.timing else { return [] }
    recorder.add(timing, timeNanoseconds: time)
    cycles += 1
    missedCycles += UInt64(record.missedCycles)
    packets += UInt64(record.packets)
    let isLost = waits.map { 2 * $0.lostNanoseconds > timing.durationNanoseconds } ?? false
    if let wasPreempted = record.wasPreempted {
      let lostProcessor = wasPreempted || isLost
      preemptedCycles = (preemptedCycles ?? 0) + (lostProcessor ? 1 : 0)
      if !lostProcessor {
        longestUnpreemptedNanoseconds = max(
          longestUnpreemptedNanoseconds ?? 0, timing.durationNanoseconds)
      }
    }
    if let buffered = record.bufferedNanoseconds {
      leastBufferedNanoseconds = min(leastBufferedNanoseconds ?? .max, buffered)
    }
    totalPeriodNanoseconds += timing.periodNanoseconds
    totalDurationNanoseconds += timing.durationNanoseconds
    note(.lateness, timing.latenessNanoseconds)
    note(.wake, timing.wakeNanoseconds)
    note(.duration, timing.durationNanoseconds)
    note(.sources, record.sourceNanoseconds)
    note(.headroom, UInt64(max(0, timing.headroomNanoseconds)))
    if let previous, previous.index &+ 1 == record.index {
      xruns += UInt64(record.xruns &- previous.xruns)
      note(.interval, record.entryNanoseconds &- previous.entryNanoseconds)
    }
    for bad in judgement.badCycles {
      causes[bad.cause, default: 0] += 1
      if let node = bad.node, slowNodes[node] != nil || slowNodes.count < Self.maximumNodes {
        slowNodes[node, default: 0] += 1
      }
      recorder.mark(bad.cause, timeNanoseconds: time)
      open.append(bad)
    }
    return judgement.badCycles
  }

  /// Returns the name of the node that took the longest in a cycle.
  private static func slowest(in record: CycleRecord, _ name: (UInt32) -> String?) -> String? {
    guard let node = record.slowestNode,
      record.slowestNodeNanoseconds ?? 0 > record.sourceNanoseconds
    else { return record.sourceNanoseconds > 0 ? "sources" : nil }
    return name(node)
  }

  /// Ends: incidents of the last cycles are taken in without what would have followed them.
  public mutating func finish() {
    closeIncidents(isLast: true)
  }

  /// How many bad cycles had this cause.
  public func count(of cause: CycleCause) -> UInt64 { causes[cause] ?? 0 }

  /// Bad cycles, of all causes.
  public var badCycles: UInt64 { causes.values.reduce(0, +) }

  /// How a quantity was distributed; nil without cycles.
  public func distribution(of quantity: Quantity) -> TimingDistribution? {
    guard let histogram = histograms[quantity], histogram.totalCount > 0 else { return nil }
    return TimingDistribution(histogram)
  }

  /// The value that so many of a hundred cycles do not exceed, to a thousandth of it; 0 without cycles.
  public func nanoseconds(_ quantity: Quantity, percentile: Double) -> UInt64 {
    guard let histogram = histograms[quantity], histogram.totalCount > 0 else { return 0 }
    return min(histogram.valueAtPercentile(percentile), histogram.max)
  }

  /// The greatest value; 0 without cycles.
  public func greatest(_ quantity: Quantity) -> UInt64 {
    histograms[quantity].map { $0.totalCount > 0 ? $0.max : 0 } ?? 0
  }

  private mutating func note(_ quantity: Quantity, _ nanoseconds: UInt64) {
    histograms[quantity]?.record(min(nanoseconds, 60_000_000_000))
  }

  /// Keeps incidents whose following records are there.
  private mutating func closeIncidents(isLast: Bool) {
    guard let newest = recent.last, !open.isEmpty else { return }
    let ready = open.filter { isLast || newest.index >= $0.index + UInt64(Self.neighbours) }
    if ready.isEmpty { return }
    open.removeAll { ready.contains($0) }
    for bad in ready {
      let first = bad.index > UInt64(Self.neighbours) ? bad.index - UInt64(Self.neighbours) : 0
      let around = recent.filter {
        $0.index >= first && $0.index <= bad.index + UInt64(Self.neighbours)
      }
      incidents.append(Incident(badCycle: bad, records: around))
    }
    incidents.sort { $0.badCycle.overrunNanoseconds > $1.badCycle.overrunNanoseconds }
    while incidents.count > Self.maximumIncidents {
      var left: [CycleCause: Int] = [:]
      for incident in incidents { left[incident.badCycle.cause, default: 0] += 1 }
      let last = incidents.lastIndex {
        left[$0.badCycle.cause, default: 0] > Self.incidentsOfEachCause
      }
      incidents.remove(at: last ?? incidents.endIndex - 1)
    }
  }
}
