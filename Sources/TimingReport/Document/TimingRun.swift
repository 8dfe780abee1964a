// SPDX-License-Identifier: MIT

/// One measured run of one client, under one set of conditions.
public struct TimingRun: Sendable, Equatable, Codable {
  /// The subject of runs with an empty callback, for comparison.
  public static let emptyClient = "empty client"

  /// The measured client, such as `drawbar` or ``emptyClient``.
  public var subject: String
  /// The conditions of the run.
  public var conditions: TimingConditions
  /// The number of the run among those under the same conditions, from 0 on.
  public var repetition: Int
  /// The scheduling of the callback's thread, such as `SCHED_FIFO 65`; nil if it is not known.
  public var scheduling: String?
  /// The decoding thread and the reason for it, such as `in the callback, a packet takes 2.1 % of a period`; nil if
  /// nothing was played.
  public var decoding: String?
  /// Whether the process has locked its memory; nil if that is not known.
  public var locksMemory: Bool?
  /// The number of counted cycles.
  public var cycles: UInt64
  /// Cycles that the server ran without the client.
  public var missedCycles: UInt64
  /// Xruns that the server has reported.
  public var xruns: UInt64
  /// Cycles in which the callback lost its processor, late or not, to another thread or, for most of its time, to
  /// others on the machine's host; nil if the kernel does not report losses.
  public var preemptedCycles: UInt64?
  /// The longest callback that kept its processor; nil if the kernel does not report losses, or if there was none.
  public var longestUnpreemptedNanoseconds: UInt64?
  /// Packets that converters took.
  public var packets: UInt64
  /// Cycles whose record was overwritten before it was read: no other figure includes them.
  public var lostRecords: UInt64
  /// Bad cycles by their cause; causes that did not occur are left out.
  public var causes: [String: UInt64]
  /// Over-budget cycles by the name of the node that took the longest, or `sources`; nil if there are none.
  public var slowNodes: [String: UInt64]?
  /// The sum of the callback's durations, divided by that of the periods: 0 to 1, or more.
  public var dspLoad: Double
  /// The least sound that was left in a ring; nil if none played.
  public var leastBufferedNanoseconds: UInt64?
  /// The resource use of the process during the run; nil if it was not measured.
  public var process: ProcessCost?
  /// The distributions, by the quantities' names (``TimingStatistics/Quantity``).
  public var distributions: [String: TimingDistribution]
  /// The run over time.
  public var series: TimingSeries
  /// The worst bad cycles, in descending order of their overruns.
  public var incidents: [TimingStatistics.Incident]

  /// Returns a distribution; nil if it was not measured.
  public subscript(_ quantity: TimingStatistics.Quantity) -> TimingDistribution? {
    distributions[quantity.rawValue]
  }

  /// Returns the number of bad cycles with a cause.
  public func count(of cause: CycleCause) -> UInt64 { causes[cause.rawValue] ?? 0 }
}

/// The conditions of a run.
public struct TimingConditions: Sendable, Hashable, Codable {
  /// Frames per cycle; of the last one, if that changed.
  public var periodFrames: Int
  /// The server's frames per second.
  public var sampleRate: Double
  /// The input, such as `mp3 44100 Hz`, or `silence`.
  public var input: String
  /// Sources that play at once.
  public var streams: Int
  /// The load on the machine, such as `none` or `cpu`.
  public var load: String

  /// Creates conditions.
  public init(periodFrames: Int, sampleRate: Double, input: String, streams: Int, load: String) {
    self.periodFrames = periodFrames
    self.sampleRate = sampleRate
    self.input = input
    self.streams = streams
    self.load = load
  }

  /// The duration of a cycle; 0 if the frames or the rate are impossible.
  public var periodNanoseconds: UInt64 {
    let nanoseconds = (Double(periodFrames) * 1_000_000_000 / sampleRate).rounded(.down)
    return UInt64(exactly: nanoseconds) ?? 0
  }
}

/// The resource use of a whole process in a run.
public struct ProcessCost: Sendable, Equatable, Codable {
  /// The run's length.
  public var wallNanoseconds: UInt64
  /// Processor time of all its threads.
  public var cpuNanoseconds: UInt64
  /// Times that threads waited.
  public var voluntarySwitches: UInt64
  /// Times that threads lost their processor.
  public var involuntarySwitches: UInt64
  /// Resident bytes at the end.
  public var residentBytes: UInt64
  /// The part of them that is neither mapped from files nor shared.
  public var anonymousBytes: UInt64

  /// Creates costs.
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
