// SPDX-License-Identifier: MIT

internal import BarePeers

/// Processor time of one run. Not the time that passed: on a shared machine that counts others' work.
struct Timing {
  var nanoseconds: UInt64
  /// The part of it that a feeder thread would have spent; the rest is the render thread's.
  var feedNanoseconds: UInt64 = 0

  /// What this thread spends in `work`.
  static func of(_ work: () -> Void) -> UInt64 {
    let start = bare_thread_nanoseconds()
    work()
    return bare_thread_nanoseconds() - start
  }
}

/// Something that is timed, again and again. Set up when it is made: a run is all work.
struct Scenario {
  let name: String
  let run: () -> Timing

  init(_ name: String, run: @escaping () -> Timing) {
    self.name = name
    self.run = run
  }
}

/// A part of the engine and what it is measured against, over the same work.
struct Comparison {
  /// Its line in the thresholds file.
  let name: String
  /// The input, where there are several.
  let input: String
  /// Operations in one run, and what one is called.
  let operations: Int
  let operation: String
  /// Bytes in one run, where a throughput can be told.
  var bytes: Int?
  /// The throughput is what the thresholds are about, not the ratio.
  var isJudgedByThroughput = false
  /// Rounds for each one that is asked for: short ones, where the two sides are nearly the same.
  var roundsForOne = 1
  /// Rounds that are enough, where one takes long.
  var maximumRounds = Int.max
  let baseline: Scenario
  let subject: Scenario
  /// To be asked after the runs: why the figures mean nothing, or nil.
  var objection: () -> String? = { nil }
}
