// SPDX-License-Identifier: MIT

/// A cycle's times relative to its ideal start, all in nanoseconds.
///
/// The parts follow each other: the server starts the cycle ``serverLatenessNanoseconds`` after its ideal start, the
/// callback is entered ``wakeNanoseconds`` later, and takes ``durationNanoseconds``. The rest of the period is the
/// ``headroomNanoseconds``.
public struct CycleTiming: Sendable, Equatable {
  /// The duration of the cycle's frames, at the server's rate.
  public var periodNanoseconds: UInt64
  /// From the cycle's ideal start, fitted to the best cycles of the last two seconds, to the server's start.
  public var serverLatenessNanoseconds: UInt64
  /// From the server's start to the callback's entry, to a frame.
  public var wakeNanoseconds: UInt64
  /// From the callback's entry to its end.
  public var durationNanoseconds: UInt64

  /// From the cycle's ideal start to the callback's entry.
  public var latenessNanoseconds: UInt64 { serverLatenessNanoseconds + wakeNanoseconds }

  /// From the callback's end to the next cycle's ideal start. Negative if the callback was too late.
  public var headroomNanoseconds: Int64 {
    Int64(periodNanoseconds) - Int64(latenessNanoseconds + durationNanoseconds)
  }
}
