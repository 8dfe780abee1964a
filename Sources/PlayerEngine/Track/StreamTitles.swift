// SPDX-License-Identifier: MIT

internal import ByteSources

/// A station's metadata, by the byte offset in its sound that each applies from.
struct StreamTitles {
  private var entries: [StreamMetadata] = []
  /// The byte offset of the metadata last returned for a packet.
  private var lastOffset: UInt64?
  /// The most entries kept, because a station may never stop sending them.
  private static let remembered = 256

  /// Notes the station's metadata, in the order of the byte offsets.
  mutating func note(_ metadata: StreamMetadata) {
    if entries.count == Self.remembered { entries.removeFirst() }
    entries.append(metadata)
  }

  /// Returns the metadata of a packet with sound at a byte offset; nil if it is the previous packet's.
  mutating func news(at byteOffset: Int64) -> StreamMetadata? {
    guard byteOffset >= 0,
      let metadata = entries.last(where: { $0.byteOffset <= UInt64(byteOffset) }),
      metadata.byteOffset != lastOffset
    else { return nil }
    lastOffset = metadata.byteOffset
    return metadata
  }

  /// Makes the next packet return its metadata in any case, after a jump.
  mutating func forgetLast() {
    lastOffset = nil
  }
}
