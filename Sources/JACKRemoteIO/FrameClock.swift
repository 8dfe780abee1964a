// SPDX-License-Identifier: MIT

/// The frame clock that cycles are told: the server's, and where another server began anew, the old
/// one's continued by the frames that were rendered. The time without a server is not counted.
struct FrameClock {
  private var offset: UInt32 = 0
  private var next: UInt32 = 0
  private var hasBegun = false
  private var isRestarting = false

  private static var isKnown: UInt64 { @_noLocks get { 1 << 32 } }

  /// What other threads need to read the clock: what is added to the server's. The bit above it says that
  /// it is known.
  var publication: UInt64 {
    @_noLocks get { isRestarting ? 0 : UInt64(offset) | Self.isKnown }
  }

  init() {}

  /// Lets the next cycle, which another server's clock tells, follow the last one. While no cycle runs.
  mutating func restart() {
    isRestarting = hasBegun
  }

  /// Takes in a cycle.
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

  /// The clock when the server's is at a time. nil between another server's start and its first cycle.
  static func time(atServerTime serverTime: UInt32, publication: UInt64) -> UInt32? {
    publication & isKnown == 0 ? nil : serverTime &+ UInt32(truncatingIfNeeded: publication)
  }
}
