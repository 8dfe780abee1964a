// SPDX-License-Identifier: MIT

/// What the sources and callbacks of a cycle took, as the render thread counts it for the cycle's record.
/// Times are in ``TickScale``'s ticks.
package struct RenderWork: Sendable {
  var sourceTicks: UInt64
  var callbackTicks: UInt64
  /// The node, other than a source, that took the longest, and its time; 0 for none.
  var slowestNode: UInt32
  var slowestNodeTicks: UInt64
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
    slowestNode = 0
    slowestNodeTicks = 0
    packets = 0
    bufferedNanoseconds = .max
    isStarved = false
    endTicks = 0
  }

  /// Adds a node's time.
  @_noLocks
  mutating func add(node: UInt32, ticks: UInt64) {
    if ticks <= slowestNodeTicks { return }
    slowestNode = node
    slowestNodeTicks = ticks
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
