// SPDX-License-Identifier: MIT

/// What a station has said and nobody has taken yet.
struct StreamMetadataQueue {
  private var items: [StreamMetadata] = []
  /// What was said last; at first, nothing.
  private var last = ICYMetadataBlock([])

  /// A station may talk on while nobody listens.
  private static let limit = 64

  /// Adds what a block says, unless that is what the last one said: stations repeat themselves, and
  /// do so at the start of each connection.
  mutating func append(_ block: ICYMetadataBlock, byteOffset: UInt64) {
    guard block != last else { return }
    last = block
    if items.count == Self.limit { items.removeFirst() }
    items.append(StreamMetadata(byteOffset: byteOffset, title: block.title, url: block.url))
  }

  /// Gives everything, oldest first, and has nothing then.
  mutating func take() -> [StreamMetadata] {
    defer { items.removeAll() }
    return items
  }
}
