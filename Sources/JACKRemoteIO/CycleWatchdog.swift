// SPDX-License-Identifier: MIT

/// Decides whether the server has stopped calling the client: it may be stopped, or be a PipeWire daemon that
/// died without notice. A value without a clock of its own.
public struct CycleWatchdog: Sendable, Equatable {
  /// Frames in a cycle.
  public var bufferSize: Int
  /// Frames per second.
  public var sampleRate: Double
  /// Whether the server freewheels, so that cycles keep no time.
  public var isFreewheeling: Bool

  /// A watchdog for cycles of this size.
  public init(bufferSize: Int, sampleRate: Double, isFreewheeling: Bool) {
    self.bufferSize = bufferSize
    self.sampleRate = sampleRate
    self.isFreewheeling = isFreewheeling
  }

  /// The longest time without a cycle: half a second, or twenty periods if those are longer.
  public var limitNanoseconds: UInt64 {
    let periods = sampleRate > 0 ? 20 * Double(bufferSize) / sampleRate : 0
    return UInt64(max(0.5, min(periods, 3600)) * 1_000_000_000)
  }

  /// Returns whether the time without a cycle exceeds the limit; always false while the server freewheels.
  ///
  /// - Parameter nanoseconds: time since the last cycle began, or since the start before the first.
  public func isStalled(afterSilenceOf nanoseconds: UInt64) -> Bool {
    !isFreewheeling && nanoseconds > limitNanoseconds
  }
}
