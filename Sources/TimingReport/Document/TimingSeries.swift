// SPDX-License-Identifier: MIT

/// A run over time, in at most ``maximumPoints`` stretches of the same length.
public struct TimingSeries: Sendable, Equatable, Codable {
  /// One stretch of time. The greatest values of its cycles.
  public struct Point: Sendable, Equatable, Codable {
    /// From the run's start to the stretch's.
    public var timeNanoseconds: UInt64
    /// See ``CycleTiming``.
    public var latenessNanoseconds: UInt64
    /// See ``CycleTiming``.
    public var durationNanoseconds: UInt64

    /// A stretch.
    public init(timeNanoseconds: UInt64, latenessNanoseconds: UInt64, durationNanoseconds: UInt64) {
      self.timeNanoseconds = timeNanoseconds
      self.latenessNanoseconds = latenessNanoseconds
      self.durationNanoseconds = durationNanoseconds
    }
  }

  /// A bad cycle's place. Where there are too many, the first one of its cause in a stretch of time stands for those
  /// behind it.
  public struct Mark: Sendable, Equatable, Codable {
    /// From the run's start.
    public var timeNanoseconds: UInt64
    /// Why it was bad.
    public var cause: CycleCause

    /// A mark.
    public init(timeNanoseconds: UInt64, cause: CycleCause) {
      self.timeNanoseconds = timeNanoseconds
      self.cause = cause
    }
  }

  /// Most stretches that are kept: two of the same length become one when there would be more.
  public static let maximumPoints = 2048
  /// Most marks that are kept, over the whole run.
  public static let maximumMarks = 1024

  /// In their order. A stretch without cycles is left out.
  public var points: [Point] = []
  /// In their order.
  public var marks: [Mark] = []

  /// Nothing yet.
  public init() {}
}
