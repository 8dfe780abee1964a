// SPDX-License-Identifier: MIT

/// The work of a cycle's sources and callbacks, which the render thread counts for the cycle's record. Times are in
/// ``TickScale``'s ticks.
package struct RenderWork: Sendable {
  var sourceTicks: UInt64
  var callbackTicks: UInt64
  /// The node, other than a source, that took the longest, and its time; 0 for none.
  var slowestNode: UInt32
  var slowestNodeTicks: UInt64
  var packets: UInt64
  /// The sound of the source that had the least; `.max` if no source played.
  var bufferedNanoseconds: UInt64
  var isStarved: Bool
  /// The end of the last rendering; 0 for none.
  var endTicks: UInt64

  /// Creates an empty count.
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

  /// Adds the work of one source, except its time.
  @_noLocks
  mutating func add(_ other: RenderWork) {
    packets &+= other.packets
    if other.bufferedNanoseconds < bufferedNanoseconds {
      bufferedNanoseconds = other.bufferedNanoseconds
    }
    if other.isStarved { isStarved = true }
  }
}
