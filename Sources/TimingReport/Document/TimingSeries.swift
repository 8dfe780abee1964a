// SPDX-License-Identifier: MIT

/// A run over time, in at most ``maximumPoints`` stretches of the same length.
public struct TimingSeries: Sendable, Equatable, Codable {
  /// A stretch of time, with the greatest values of its cycles.
  public struct Point: Sendable, Equatable, Codable {
    /// The time from the run's start to the stretch's.
    public var timeNanoseconds: UInt64
    /// See ``CycleTiming``.
    public var latenessNanoseconds: UInt64
    /// See ``CycleTiming``.
    public var durationNanoseconds: UInt64

    /// Creates a stretch.
    public init(timeNanoseconds: UInt64, latenessNanoseconds: UInt64, durationNanoseconds: UInt64) {
      self.timeNanoseconds = timeNanoseconds
      self.latenessNanoseconds = latenessNanoseconds
      self.durationNanoseconds = durationNanoseconds
    }
  }

  /// The time and the cause of a bad cycle. If there are too many, the first one of its cause in a stretch of time
  /// represents the later ones.
  public struct Mark: Sendable, Equatable, Codable {
    /// The time from the run's start.
    public var timeNanoseconds: UInt64
    /// The cause.
    public var cause: CycleCause

    /// Creates a mark.
    public init(timeNanoseconds: UInt64, cause: CycleCause) {
      self.timeNanoseconds = timeNanoseconds
      self.cause = cause
    }
  }

  /// The maximum number of stretches: beyond it, stretches are merged in pairs.
  public static let maximumPoints = 2048
  /// The maximum number of marks, over the whole run.
  public static let maximumMarks = 1024

  /// The stretches in order. A stretch without cycles is left out.
  public var points: [Point] = []
  /// The marks in order.
  public var marks: [Mark] = []

  /// Creates an empty series.
  public init() {}
}
