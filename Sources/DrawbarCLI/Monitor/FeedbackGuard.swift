// SPDX-License-Identifier: MIT

/// A detector of a signal that stays at full scale, unlike music: acoustic feedback, or an input turned up too far. It
/// only warns, and changes no gain.
struct FeedbackGuard {
  /// The threshold of full scale, slightly below the peak of a clipping converter.
  private static let fullScale: Float = 0.999
  private static let sustainedSeconds = 1.0
  /// The quiet time after a warning that has to pass before the next one.
  private static let quietSeconds = 5.0

  private var loud = 0.0
  private var quiet = 0.0
  private var hasWarned = false

  /// Adds a reading of all meters.
  ///
  /// - Parameters:
  ///   - peak: the largest magnitude of any input or output since the last reading.
  ///   - seconds: the time since the last reading.
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
