// SPDX-License-Identifier: MIT

internal import ByteSources

/// Returns the time ranges of a track that play without another request to a server, in nanoseconds: the sound buffered
/// from a position on, and the spooled ranges.
func bufferedRanges(
  from position: UInt64, buffered: UInt64, spooled: [Range<UInt64>], duration: UInt64?
) -> [Range<UInt64>] {
  // The ring may already hold the next track's sound.
  let end = min(position &+ min(buffered, 1 << 60), max(position, duration ?? .max))
  var ranges = DisjointRanges()
  for range in spooled { ranges.insert(range) }
  ranges.insert(position..<end)
  return ranges.ranges
}
