// SPDX-License-Identifier: MIT

internal import ByteSources

/// What can be heard of a track without asking a server, in nanoseconds: what is buffered behind a place,
/// and what is spooled.
func bufferedRanges(
  from place: UInt64, buffered: UInt64, spooled: [Range<UInt64>], duration: UInt64?
) -> [Range<UInt64>] {
  // The next track's sound may be in the ring already.
  let end = min(place &+ min(buffered, 1 << 60), max(place, duration ?? .max))
  var ranges = DisjointRanges()
  for range in spooled { ranges.insert(range) }
  ranges.insert(place..<end)
  return ranges.ranges
}
