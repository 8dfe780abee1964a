// SPDX-License-Identifier: MIT

/// What the sources and callbacks of a cycle took, as the render thread counts it for the cycle's record.
/// Times are in ``TickScale``'s ticks.
package struct RenderWork: Sendable {
  var sourceTicks: UInt64
  var callbackTicks: UInt64
  var packets: UInt64
  /// Of the source that had the least; the greatest number when none played.
  var bufferedNanoseconds: UInt64
  var isStarved: Bool
  /// When the last of it was rendered; 0 for nothing.
  var endTicks: UInt64

  /// None.
  @_noLocks
  package init() {
    sourceTicks = 0
    callbackTicks = 0
    packets = 0
    bufferedNanoseconds = .max
    isStarved = false
    endTicks = 0
  }

  /// Takes in what one source took, but its time.
  @_noLocks
  mutating func add(_ other: RenderWork) {
    packets &+= other.packets
    if other.bufferedNanoseconds < bufferedNanoseconds {
      bufferedNanoseconds = other.bufferedNanoseconds
    }
    if other.isStarved { isStarved = true }
  }
}
