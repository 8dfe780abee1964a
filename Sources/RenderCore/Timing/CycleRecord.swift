// SPDX-License-Identifier: MIT

/// What one call of an output's callback was like: when it came, how long it took, and what it did. Kept
/// by a ``CycleLog``.
public struct CycleRecord: Sendable, Equatable, Codable {
  /// Which cycle it was, from 0 on, since the output was made.
  public var index: UInt64
  /// When the callback was entered, in nanoseconds of `CLOCK_MONOTONIC_RAW`.
  public var entryNanoseconds: UInt64
  /// From the callback's entry to its end: to when all was rendered, after which it only notes what it did.
  public var durationNanoseconds: UInt64
  /// Of these, what the sources took: decoding, resampling, gain and mixing.
  public var sourceNanoseconds: UInt64
  /// Of these, what render callbacks of the user's took, and what converts for them.
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
  /// Frames of the clock between the end of the cycle before and this one: the server went on without the
  /// client. 0 where that cannot be told (``isMeasured``).
  public var missedFrames: Int
  /// Whether the clock could tell what was missed: not in the first cycle, nor in one of another size than
  /// the one before.
  public var isMeasured: Bool
  /// Xruns that the server had told of by then, in all. Wraps at 2³².
  public var xruns: UInt32
  /// Packets that converters took out of their rings.
  public var packets: Int
  /// The sound left in the ring of the source that had the least, in nanoseconds; nil when none played.
  public var bufferedNanoseconds: UInt64?
  /// A source that is to play had no packet when one was needed, or waits since then until its ring is
  /// filled again.
  public var isStarved: Bool
  /// Nothing was rendered: the client was waiting for its connections on another server.
  public var isHeld: Bool
  /// The server ran as fast as it could.
  public var isFreewheeling: Bool
  /// Whether the thread lost its processor during the callback; nil when the kernel cannot tell.
  public var wasPreempted: Bool?

  /// Cycles of this size that the server went on without the client.
  public var missedCycles: Int {
    frameCount > 0 ? (missedFrames + frameCount - 1) / frameCount : 0
  }

  /// A record with these facts, and otherwise of a cycle in which nothing happened.
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
