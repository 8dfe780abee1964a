// SPDX-License-Identifier: MIT

/// Notices a signal that stays at full scale, which music does not: a loop through the air, or an input that
/// is turned up too far. It warns, and does not turn anything down by itself.
struct FeedbackGuard {
  /// What counts as full scale: what a converter that clips gives, and a little less.
  private static let fullScale: Float = 0.999
  private static let sustainedSeconds = 1.0
  /// After a warning it has to be quieter for so long before the next one.
  private static let quietSeconds = 5.0

  private var loud = 0.0
  private var quiet = 0.0
  private var hasWarned = false

  /// Takes in a reading of all meters.
  ///
  /// - Parameters:
  ///   - peak: the largest magnitude of any input or output since the reading before.
  ///   - seconds: how long that was.
  /// - Returns: whether to warn now.
  mutating func note(peak: Float, seconds: Double) -> Bool {
    guard peak >= Self.fullScale else {
      loud = 0
      quiet += seconds
      if quiet >= Self.quietSeconds { hasWarned = false }
      return false
    }
    quiet = 0
    loud += seconds
    guard loud >= Self.sustainedSeconds, !hasWarned else { return false }
    hasWarned = true
    return true
  }
}
