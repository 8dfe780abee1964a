// SPDX-License-Identifier: MIT

internal import BarePeers

/// Processor time of one run. Wall-clock time would include other programs' work on a shared machine.
struct Timing {
  var nanoseconds: UInt64
  /// The part that a feeder thread would have spent; the rest is the render thread's.
  var feedNanoseconds: UInt64 = 0

  /// The processor time that this thread spends in `work`.
  static func of(_ work: () -> Void) -> UInt64 {
    let start = bare_thread_nanoseconds()
    work()
    return bare_thread_nanoseconds() - start
  }
}

/// A repeatedly timed piece of work. The initializer does the set-up, so a run contains only the work.
struct Scenario {
  let name: String
  let run: () -> Timing

  init(_ name: String, run: @escaping () -> Timing) {
    self.name = name
    self.run = run
  }
}

/// A part of the engine and its baseline, with the same work.
struct Comparison {
  /// The name of its line in the thresholds file.
  let name: String
  /// The input, if there are several.
  let input: String
  /// The number of operations in one run, and the name of one.
  let operations: Int
  let operation: String
  /// Bytes in one run, if a throughput can be computed.
  var bytes: Int?
  /// Whether the thresholds apply to the throughput instead of the ratio.
  var isJudgedByThroughput = false
  /// Rounds for each requested one: many short ones if the two sides are nearly the same.
  var roundsForOne = 1
  /// The largest number of rounds, if one takes long.
  var maximumRounds = Int.max
  let baseline: Scenario
  let subject: Scenario
  /// Returns, after the runs, the reason why the figures are invalid, or nil.
  var objection: () -> String? = { nil }
}
