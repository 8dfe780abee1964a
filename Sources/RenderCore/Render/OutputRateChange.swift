// SPDX-License-Identifier: MIT

/// A change of the output's rate, for converting frame numbers behind it that were counted at the old rate.
package struct OutputRateChange: Sendable {
  private let first: UInt64
  private let oldRate: Double
  private let rate: Double
  private let droppedSeconds: Double

  /// - Parameters:
  ///   - frame: the first frame of the new rate.
  ///   - droppedNanoseconds: the sound between the last frame of the old rate and that frame.
  @_noLocks
  package init(frame: UInt64, from oldRate: Double, to rate: Double, droppedNanoseconds: UInt64) {
    first = frame
    self.oldRate = oldRate
    self.rate = rate
    droppedSeconds = Double(droppedNanoseconds) / 1_000_000_000
  }

  /// Returns the new number of a frame that was counted at the old rate. One before the change stays.
  @_noLocks
  package func frame(for old: UInt64) -> UInt64 {
    if old <= first { return old }
    let seconds = Double(old &- first) / oldRate - droppedSeconds
    return first &+ UInt64(max(0, seconds * rate + 0.5))
  }
}
