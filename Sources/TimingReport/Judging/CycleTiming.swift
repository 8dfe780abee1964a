// SPDX-License-Identifier: MIT

/// A cycle's times against the clock that it should keep. All in nanoseconds.
///
/// The parts follow each other: the server begins the cycle ``serverLatenessNanoseconds`` after its time,
/// the callback is entered ``wakeNanoseconds`` later, and takes ``durationNanoseconds``. What is left of the
/// period then is the ``headroomNanoseconds``.
public struct CycleTiming: Sendable, Equatable {
  /// The cycle's frames, at the server's rate.
  public var periodNanoseconds: UInt64
  /// From the time at which the server should have begun the cycle, by its best cycles of the last two
  /// seconds, to when it did.
  public var serverLatenessNanoseconds: UInt64
  /// From the server's beginning to the callback's entry, to a frame.
  public var wakeNanoseconds: UInt64
  /// From the callback's entry to its end.
  public var durationNanoseconds: UInt64

  /// From the time at which the cycle should have begun to the callback's entry.
  public var latenessNanoseconds: UInt64 { serverLatenessNanoseconds + wakeNanoseconds }

  /// From the callback's end to the time at which the next cycle should begin. Negative: it was too late.
  public var headroomNanoseconds: Int64 {
    Int64(periodNanoseconds) - Int64(latenessNanoseconds + durationNanoseconds)
  }
}
