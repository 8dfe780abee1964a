// SPDX-License-Identifier: MIT

internal import Histogram
public import RenderCore

/// The statistics of an output's cycles over a run: distributions, bad cycles by their causes, and the worst of them
/// with the cycles around them. One thread at a time; not for the render thread.
///
/// Its memory does not grow with the run.
public struct TimingStatistics: Sendable {
  /// A quantity of a cycle, in nanoseconds.
  public enum Quantity: String, Sendable, CaseIterable {
    /// From the cycle's ideal start to the callback's entry.
    case lateness
    /// From the server's start of the cycle to the callback's entry.
    case wake
    /// From the callback's entry to its end.
    case duration
    /// The part of the duration in sources: decoding, resampling, gain and mixing.
    case sources
    /// From the callback's end to the next cycle's ideal start; 0 if the callback was too late.
    case headroom
    /// From one callback's entry to the next one's.
    case interval
  }

  /// A bad cycle, with those before and after it.
  public struct Incident: Sendable, Equatable, Codable {
    /// The bad cycle.
    public var badCycle: BadCycle
    /// Up to four records before it, its own, and up to four after.
    public var records: [CycleRecord]
  }

  /// The maximum number of incidents: those that overran the most, and the worst of each cause.
  public static let maximumIncidents = 20
  /// The number of incidents of each cause that are kept in any case: a server that was late a hundred times does not
  /// hide the one cycle that took too long.
  public static let incidentsOfEachCause = 3
  /// Nanoseconds at the start that are not counted: the first cycles load code and data, and the grid is not known
  /// yet.
  public static let warmUpNanoseconds: UInt64 = 500_000_000

  /// The number of counted cycles.
  public private(set) var cycles: UInt64 = 0
  /// Cycles that the server ran without the client.
  public private(set) var missedCycles: UInt64 = 0
  /// Xruns that the server has reported.
  public private(set) var xruns: UInt64 = 0
  /// Packets that converters took.
  public private(set) var packets: UInt64 = 0
  /// Cycles in which the callback lost its processor, late or not, to another thread or, for most of its time, to
  /// others on the machine's host; nil if the kernel does not report losses.
  public private(set) var preemptedCycles: UInt64?
  /// The longest callback that kept its processor, in nanoseconds; nil if the kernel does not report losses, or if
  /// there was none.
  public private(set) var longestUnpreemptedNanoseconds: UInt64?
  /// The sum of the counted cycles' periods, in nanoseconds. The sum of their durations divided by it is the load.
  public private(set) var totalPeriodNanoseconds: UInt64 = 0
  /// See ``totalPeriodNanoseconds``.
  public private(set) var totalDurationNanoseconds: UInt64 = 0
  /// The least sound that was left in a ring, in nanoseconds; nil if none played.
  public private(set) var leastBufferedNanoseconds: UInt64?
  /// The worst bad cycles, in descending order of their overruns.
  public private(set) var incidents: [Incident] = []

  /// Over-budget cycles by the node that took the longest.
  public private(set) var slowNodes: [String: UInt64] = [:]
  /// The maximum number of names in ``slowNodes``.
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
  /// Bad cycles whose following records have not arrived yet.
  private var open: [BadCycle] = []

  private static let neighbours = 4

  /// Creates empty statistics.
  ///
  /// - Parameters:
  ///   - sampleRate: the server's frames per second.
  ///   - warmUpNanoseconds: the time at the start that is not counted.
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

  /// Frames per second of the server. Set it when that changes.
  public var sampleRate: Double {
    get { judge.sampleRate }
    set { judge.sampleRate = newValue }
  }

  /// The run over time.
  public var series: TimingSeries { recorder.series }

  /// Adds the next record.
  public mutating func add(_ record: CycleRecord) { add(record, waits: nil) }

  /// Adds the next record.
  ///
  /// - Parameters:
  ///   - waits: its waits for the processor; nil if they are not known.
  ///   - nodeName: returns the name of the record's slowest node.
  /// - Returns: the bad cycles found; none during the warm-up.
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

  /// Ends the run: incidents of the last cycles are added without the cycles that would have followed them.
  public mutating func finish() {
    closeIncidents(isLast: true)
  }

  /// Returns the number of bad cycles with a cause.
  public func count(of cause: CycleCause) -> UInt64 { causes[cause] ?? 0 }

  /// The number of bad cycles, of all causes.
  public var badCycles: UInt64 { causes.values.reduce(0, +) }

  /// Returns the distribution of a quantity; nil without cycles.
  public func distribution(of quantity: Quantity) -> TimingDistribution? {
    guard let histogram = histograms[quantity], histogram.totalCount > 0 else { return nil }
    return TimingDistribution(histogram)
  }

  /// Returns a percentile of a quantity, to a thousandth of it; 0 without cycles.
  public func nanoseconds(_ quantity: Quantity, percentile: Double) -> UInt64 {
    guard let histogram = histograms[quantity], histogram.totalCount > 0 else { return 0 }
    return min(histogram.valueAtPercentile(percentile), histogram.max)
  }

  /// Returns the greatest value; 0 without cycles.
  public func greatest(_ quantity: Quantity) -> UInt64 {
    histograms[quantity].map { $0.totalCount > 0 ? $0.max : 0 } ?? 0
  }

  private mutating func note(_ quantity: Quantity, _ nanoseconds: UInt64) {
    histograms[quantity]?.record(min(nanoseconds, 60_000_000_000))
  }

  /// Keeps incidents whose following records have arrived.
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
