// SPDX-License-Identifier: MIT

/// A record of one call of an output's callback: its entry, its duration and its work. Kept by a ``CycleLog``.
public struct CycleRecord: Sendable, Equatable, Codable {
  /// The number of the cycle since the output was made, from 0.
  public var index: UInt64
  /// The time when the callback was entered, in nanoseconds of `CLOCK_MONOTONIC_RAW`.
  public var entryNanoseconds: UInt64
  /// From the callback's entry to the end of rendering; after that the callback only records the cycle.
  public var durationNanoseconds: UInt64
  /// The sources' part of this time: decoding, resampling, gain and mixing.
  public var sourceNanoseconds: UInt64
  /// The part of this time for the user's render callbacks and their converters.
  public var callbackNanoseconds: UInt64
  /// The node that took the longest: an effect, a callback or a monitor. Nil if the graph has only sources.
  /// ``ProcessingGraph/nodeName(of:)`` returns its name.
  public var slowestNode: UInt32?
  /// The time of that node, which includes the sums of its inputs.
  public var slowestNodeNanoseconds: UInt64?
  /// The output's frame clock at the cycle's start. Wraps at 2³².
  public var frameTime: UInt32
  /// Frames of the cycle.
  public var frameCount: Int
  /// Frames from the start of the server's cycle to the callback's entry, by the server's clock.
  public var wakeFrames: Int
  /// Frames of the clock between the end of the cycle before and this one: the server continued without the client. 0
  /// if that is not known (``isMeasured``).
  public var missedFrames: Int
  /// Whether ``missedFrames`` is known: not in the first cycle, nor in one of another size than the cycle before.
  public var isMeasured: Bool
  /// Xruns that the server had reported by then, in all. Wraps at 2³².
  public var xruns: UInt32
  /// Packets that converters took out of their rings.
  public var packets: Int
  /// The sound left in the ring of the source with the least, in nanoseconds; nil if no source played.
  public var bufferedNanoseconds: UInt64?
  /// Whether a source in play mode had no packet when it needed one, or has been waiting since then until its ring is
  /// filled again.
  public var isStarved: Bool
  /// Whether nothing was rendered, because the client was waiting for its connections on another server.
  public var isHeld: Bool
  /// Whether the server ran as fast as it could.
  public var isFreewheeling: Bool
  /// Whether the thread lost its processor during the callback; nil if the kernel does not report it.
  public var wasPreempted: Bool?

  /// Cycles of this size for which the server continued without the client.
  public var missedCycles: Int {
    frameCount > 0 ? (missedFrames + frameCount - 1) / frameCount : 0
  }

  /// Creates a record with these values, and otherwise of a cycle in which nothing happened.
  public init(
    index: UInt64, entryNanoseconds: UInt64, durationNanoseconds: UInt64, frameTime: UInt32,
    frameCount: Int
  ) {
    self.index = index
    self.entryNanoseconds = entryNanoseconds
    self.durationNanoseconds = durationNanoseconds
    sourceNanoseconds = 0
    callbackNanoseconds = 0
    self.frameTime = frameTime
    self.frameCount = frameCount
    wakeFrames = 0
    missedFrames = 0
    isMeasured = true
    xruns = 0
    packets = 0
    bufferedNanoseconds = nil
    isStarved = false
    isHeld = false
    isFreewheeling = false
    wasPreempted = false
  }
}
