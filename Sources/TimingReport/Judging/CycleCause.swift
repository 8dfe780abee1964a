// SPDX-License-Identifier: MIT

/// The cause of a bad cycle.
public enum CycleCause: String, Sendable, CaseIterable, Codable {
  /// The server called for the cycle in time, but the callback's thread came late, because of the scheduler or of
  /// something that ran before it.
  case wokenLate
  /// The callback took too long, with its processor all the time: decoding, resampling, mixing, or a user's callback.
  /// On a virtual machine also if the host ran something else.
  case overBudget
  /// The callback took too long, and lost its processor meanwhile: to a thread of higher priority, or
  /// because it had to wait.
  case preempted
  /// There was nothing to play: the network, the disk, the parser or the decoder ahead was late. Counted once, however
  /// many cycles it lasts.
  case starved
  /// The whole process stood still, stopped by a signal such as SIGSTOP, a freezer or a debugger.
  case stopped
  /// The server itself was late, or reported an xrun while this client was in time.
  case server
}

/// A cycle that went wrong.
public struct BadCycle: Sendable, Equatable, Codable {
  /// Its number, as in `CycleRecord.index`. A failure between two cycles counts for the later one.
  public var index: UInt64
  /// The cause.
  public var cause: CycleCause
  /// The time from its deadline to its end, in nanoseconds, or the duration of missed cycles; 0 for other failures.
  public var overrunNanoseconds: UInt64
  /// The node that took most of an overlong callback: its name in the graph, or `sources`. Nil for other causes, and
  /// for nodes that have left the graph.
  public var node: String?

  init(index: UInt64, cause: CycleCause, overrunNanoseconds: UInt64 = 0) {
    self.index = index
    self.cause = cause
    self.overrunNanoseconds = overrunNanoseconds
  }
}
