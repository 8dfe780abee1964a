// SPDX-License-Identifier: MIT

/// A station's metadata that were not taken yet.
struct StreamMetadataQueue {
  private var items: [StreamMetadata] = []
  /// The last block; empty at first.
  private var last = ICYMetadataBlock([])

  /// The most items kept: a station may send more while none are taken.
  private static let limit = 64

  /// Adds a block's fields, unless they equal the last block's: stations repeat themselves, also at the start
  /// of each connection.
  mutating func append(_ block: ICYMetadataBlock, byteOffset: UInt64) {
    guard block != last else { return }
    last = block
    if items.count == Self.limit { items.removeFirst() }
    items.append(StreamMetadata(byteOffset: byteOffset, title: block.title, url: block.url))
  }

  /// Returns all items, oldest first, and removes them.
  mutating func take() -> [StreamMetadata] {
    defer { items.removeAll() }
    return items
  }
}
