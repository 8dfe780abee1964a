// SPDX-License-Identifier: MIT

/// An index of parsed packets by the pages on which they begin. It stores every n-th page and doubles n
/// when it is full, so memory is bounded.
struct OggPageIndex {
  static let maximumEntries = 1 << 14

  private struct Entry {
    /// The first packet that begins on the page.
    var packet: Int64
    /// Bytes from the data offset to the page.
    var byteOffset: Int64
  }

  private var entries: [Entry] = []
  private var stride = 1
  private var pageCount = 0
  /// The last page's byte offset, with or without an entry.
  private var lastByteOffset: Int64 = -1
  /// Packets covered.
  private(set) var packetCount: Int64 = 0
  /// Bytes from the data offset to the end of the last page covered.
  private(set) var byteCount: Int64 = 0

  /// Adds a page on which packets begin, if it follows those covered.
  mutating func add(packet: Int64, byteOffset: Int64) {
    guard byteOffset > lastByteOffset else { return }
    lastByteOffset = byteOffset
    if pageCount % stride == 0 {
      if entries.count == Self.maximumEntries {
        let all = entries
        entries = Swift.stride(from: 0, to: all.count, by: 2).map { all[$0] }
        stride *= 2
      }
      entries.append(Entry(packet: packet, byteOffset: byteOffset))
    }
    pageCount += 1
  }

  /// Notes that all packets before number `packets` end within the first `byteCount` bytes.
  mutating func cover(packets: Int64, byteCount: Int64) {
    packetCount = max(packetCount, packets)
    self.byteCount = max(self.byteCount, byteCount)
  }

  /// Returns the byte offset at which to resume reading for a packet, if it is covered.
  func target(packet: Int64) -> AudioFileStreamSeekTarget? {
    guard packet >= 0, packet < packetCount else { return nil }
    var low = 0
    var end = entries.count
    while low < end {
      let middle = low + (end - low) / 2
      if entries[middle].packet <= packet { low = middle + 1 } else { end = middle }
    }
    guard low > 0 else { return nil }
    let entry = entries[low - 1]
    return AudioFileStreamSeekTarget(
      packet: packet, byteOffset: entry.byteOffset, isEstimated: false,
      leadingPacketCount: packet - entry.packet)
  }
}
