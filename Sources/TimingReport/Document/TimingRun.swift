// SPDX-License-Identifier: MIT

/// One measured run of one client, under one set of conditions.
public struct TimingRun: Sendable, Equatable, Codable {
  /// The subject of runs whose callback does nothing, for comparison.
  public static let emptyClient = "empty client"

  /// The measured client, such as `drawbar` or ``emptyClient``.
  public var subject: String
  /// Under which conditions.
  public var conditions: TimingConditions
  /// Which of several runs under the same conditions, from 0 on.
  public var repetition: Int
  /// How the callback's thread was scheduled, such as `SCHED_FIFO 65`; nil when that was not found out.
  public var scheduling: String?
  /// Where the packets were decoded and why, such as `in the callback, a packet takes 2.1 % of a period`; nil if
  /// nothing was played.
  public var decoding: String?
  /// Whether the process has locked its memory; nil when that was not found out.
  public var locksMemory: Bool?
  /// Cycles that were counted.
  public var cycles: UInt64
  /// Cycles that the server went on without the client.
  public var missedCycles: UInt64
  /// Xruns that the server has told of.
  public var xruns: UInt64
  /// Cycles in which the callback lost its processor, late or not, to another thread or, for most of its time, to
  /// others on the machine's host; nil when the kernel does not tell.
  public var preemptedCycles: UInt64?
  /// The longest callback that kept its processor; nil when the kernel does not tell, or there was none.
  public var longestUnpreemptedNanoseconds: UInt64?
  /// Packets that converters took.
  public var packets: UInt64
  /// Cycles whose record was written over before it was read: they are missing in everything else.
  public var lostRecords: UInt64
  /// Bad cycles by their cause; causes that did not occur are left out.
  public var causes: [String: UInt64]
  /// Over-budget cycles by the name of the node that took the longest, or `sources`; nil if there are none.
  public var slowNodes: [String: UInt64]?
  /// The callback's durations over the periods: 0 to 1, or more.
  public var dspLoad: Double
  /// The least sound that was left in a ring; nil when none played.
  public var leastBufferedNanoseconds: UInt64?
  /// What the process took meanwhile; nil when that was not measured.
  public var process: ProcessCost?
  /// The distributions, by the quantities' names (``TimingStatistics/Quantity``).
  public var distributions: [String: TimingDistribution]
  /// What it was like over time.
  public var series: TimingSeries
  /// The worst bad cycles, the one that overran the most first.
  public var incidents: [TimingStatistics.Incident]

  /// A distribution; nil when it was not measured.
  public subscript(_ quantity: TimingStatistics.Quantity) -> TimingDistribution? {
    distributions[quantity.rawValue]
  }

  /// How often a cause was found.
  public func count(of cause: CycleCause) -> UInt64 { causes[cause.rawValue] ?? 0 }
}

/// What a run was under.
public struct TimingConditions: Sendable, Hashable, Codable {
  /// Frames of a cycle; of the last one, when that changed.
  public var periodFrames: Int
  /// The server's frames per second.
  public var sampleRate: Double
  /// What was played, such as `mp3 44100 Hz`, or `silence`.
  public var input: String
  /// Sources that play at once.
  public var streams: Int
  /// What else the machine had to do, such as `none` or `cpu`.
  public var load: String

  /// These conditions.
  public init(periodFrames: Int, sampleRate: Double, input: String, streams: Int, load: String) {
    self.periodFrames = periodFrames
    self.sampleRate = sampleRate
    self.input = input
    self.streams = streams
    self.load = load
  }

  /// The time of a cycle; 0 when the frames or the rate cannot be.
  public var periodNanoseconds: UInt64 {
    let nanoseconds = (Double(periodFrames) * 1_000_000_000 / sampleRate).rounded(.down)
    return UInt64(exactly: nanoseconds) ?? 0
  }
}

/// What a whole process took in a run.
public struct ProcessCost: Sendable, Equatable, Codable {
  /// The run's length.
  public var wallNanoseconds: UInt64
  /// Processor time of all its threads.
  public var cpuNanoseconds: UInt64
  /// Times that threads waited.
  public var voluntarySwitches: UInt64
  /// Times that threads lost their processor.
  public var involuntarySwitches: UInt64
  /// Bytes resident in the end.
  public var residentBytes: UInt64
  /// Of these, its own: not mapped from files, nor shared.
  public var anonymousBytes: UInt64

  /// These costs.
  public init(
    wallNanoseconds: UInt64, cpuNanoseconds: UInt64, voluntarySwitches: UInt64,
    involuntarySwitches: UInt64, residentBytes: UInt64, anonymousBytes: UInt64
  ) {
    self.wallNanoseconds = wallNanoseconds
    self.cpuNanoseconds = cpuNanoseconds
    self.voluntarySwitches = voluntarySwitches
    self.involuntarySwitches = involuntarySwitches
    self.residentBytes = residentBytes
    self.anonymousBytes = anonymousBytes
  }
}
