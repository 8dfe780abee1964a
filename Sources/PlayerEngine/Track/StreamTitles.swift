// SPDX-License-Identifier: MIT

internal import ByteSources

/// What a station has said, by the byte of its sound that it is meant from.
struct StreamTitles {
  private var entries: [StreamMetadata] = []
  /// Where what was last told of a packet is meant from.
  private var lastOffset: UInt64?
  /// A station may talk for ever.
  private static let remembered = 256

  /// Notes what the station says, in the order of the bytes.
  mutating func note(_ metadata: StreamMetadata) {
    if entries.count == Self.remembered { entries.removeFirst() }
    entries.append(metadata)
  }

  /// What the station says of a packet that begins at a byte and is heard; nil where that is what it
  /// said of the packet before.
  mutating func news(at byteOffset: Int64) -> StreamMetadata? {
    guard byteOffset >= 0,
      let metadata = entries.last(where: { $0.byteOffset <= UInt64(byteOffset) }),
      metadata.byteOffset != lastOffset
    else { return nil }
    lastOffset = metadata.byteOffset
    return metadata
  }

  /// Has the next packet's told, whichever it is: the sound goes on elsewhere.
  mutating func forgetLast() {
    lastOffset = nil
  }
}
