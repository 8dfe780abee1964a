// SPDX-License-Identifier: MIT

/// Why a cycle went wrong.
public enum CycleCause: String, Sendable, CaseIterable, Codable {
  /// The server called for the cycle in time, and the callback's thread came late to it: the scheduler, or
  /// something that ran before it.
  case wokenLate
  /// The callback took too long, and had its processor all the time: decoding, resampling, mixing, or a
  /// callback of the user's. On a virtual machine also when the host ran something else.
  case overBudget
  /// The callback took too long, and lost its processor meanwhile: to a thread of higher priority, or
  /// because it had to wait.
  case preempted
  /// There was nothing to play: the network, the disk, the parser or the decoder ahead is behind. Counted once, however
  /// many cycles it lasts.
  case starved
  /// The whole process stood still: a signal such as SIGSTOP, a freezer or a debugger had stopped it.
  case stopped
  /// The server itself was late, or told of an xrun while this client was in time.
  case server
}

/// A cycle that went wrong.
public struct BadCycle: Sendable, Equatable, Codable {
  /// Its number, as in `CycleRecord.index`. What went wrong between two cycles is counted with the later
  /// one.
  public var index: UInt64
  /// Why.
  public var cause: CycleCause
  /// How long after its deadline it ended, in nanoseconds, or how long the cycles were that did not come at
  /// all; 0 when that is not what was wrong.
  public var overrunNanoseconds: UInt64
  /// The node that took most of a callback that was too long: its name in the graph, or `sources`. Nil for other
  /// causes, and for nodes that have left the graph.
  public var node: String?

  init(index: UInt64, cause: CycleCause, overrunNanoseconds: UInt64 = 0) {
    self.index = index
    self.cause = cause
    self.overrunNanoseconds = overrunNanoseconds
  }
}
