// SPDX-License-Identifier: MIT

/// Decides whether the server has stopped calling: it may be stopped, or a PipeWire daemon that died
/// without telling. A value without a clock of its own.
public struct CycleWatchdog: Sendable, Equatable {
  /// Frames in a cycle.
  public var bufferSize: Int
  /// Frames per second.
  public var sampleRate: Double
  /// Whether the server runs as fast as it can, where cycles keep no time.
  public var isFreewheeling: Bool

  /// A watchdog for cycles of this size.
  public init(bufferSize: Int, sampleRate: Double, isFreewheeling: Bool) {
    self.bufferSize = bufferSize
    self.sampleRate = sampleRate
    self.isFreewheeling = isFreewheeling
  }

  /// How long without a cycle is too long: half a second, or twenty periods when those are longer.
  public var limitNanoseconds: UInt64 {
    let periods = sampleRate > 0 ? 20 * Double(bufferSize) / sampleRate : 0
    return UInt64(max(0.5, min(periods, 3600)) * 1_000_000_000)
  }

  /// Whether there was no cycle for too long.
  ///
  /// - Parameter nanoseconds: time since the last cycle began, or since the start before the first.
  public func isStalled(afterSilenceOf nanoseconds: UInt64) -> Bool {
    !isFreewheeling && nanoseconds > limitNanoseconds
  }
}
