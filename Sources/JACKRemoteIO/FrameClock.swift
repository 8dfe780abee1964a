// SPDX-License-Identifier: MIT

/// The frame clock passed to cycles: the server's clock, and after a change of server the old clock continued
/// by the rendered frames. The time without a server is not counted.
struct FrameClock {
  private var offset: UInt32 = 0
  private var next: UInt32 = 0
  private var hasBegun = false
  private var isRestarting = false

  private static var isKnown: UInt64 { @_noLocks get { 1 << 32 } }

  /// The value from which other threads read the clock: the offset to the server's clock, with the bit above it
  /// set if the offset is known.
  var publication: UInt64 {
    @_noLocks get { isRestarting ? 0 : UInt64(offset) | Self.isKnown }
  }

  init() {}

  /// Makes the next cycle, on another server's clock, continue from the last one. Call it while no cycle runs.
  mutating func restart() {
    isRestarting = hasBegun
  }

  /// Advances the clock by a cycle.
  ///
  /// - Returns: the clock at its first frame.
  @_noLocks
  mutating func advance(serverTime: UInt32, frameCount: UInt32) -> UInt32 {
    if isRestarting {
      offset = next &- serverTime
      isRestarting = false
    }
    hasBegun = true
    let time = serverTime &+ offset
    next = time &+ frameCount
    return time
  }

  /// Returns the clock's value for a time of the server's clock; nil between another server's start and its
  /// first cycle.
  static func time(atServerTime serverTime: UInt32, publication: UInt64) -> UInt32? {
    publication & isKnown == 0 ? nil : serverTime &+ UInt32(truncatingIfNeeded: publication)
  }
}
