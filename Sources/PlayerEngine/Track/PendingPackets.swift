// SPDX-License-Identifier: MIT

internal import AudioModel
internal import ByteSources
internal import RenderCore

/// Parsed packets that wait for room in the ring: at most those of one read of the source, so the memory is bounded
/// and, after the first reads, not allocated again.
struct PendingPackets {
  /// One packet, or the start of a new stream before it.
  struct Item {
    var byteRange: Range<Int>
    var metadata: PacketMetadata
    /// The packet begins a new stream.
    var startsStream: CodedStreamDescription?
    /// The position of that stream, if the feeder may read another track by the time it writes the packet.
    var start: StreamStart?
    /// The station's metadata from the packet on.
    var said: StreamMetadata?
    /// The track of that metadata, in the same case.
    var saidOf: Int?
  }

  private var bytes: [UInt8] = []
  private var items: [Item] = []
  private var head = 0

  /// The oldest packet, or nil.
  var first: Item? { head < items.count ? items[head] : nil }

  /// Returns up to `count` of the oldest packets, all of one stream.
  func first(_ count: Int) -> [Item] {
    let some = items[head..<min(items.count, head + count)]
    let next = some.dropFirst().firstIndex { $0.startsStream != nil }
    return Array(some[..<(next ?? some.endIndex)])
  }

  /// Calls `body` with the bytes of a packet that was not dropped yet.
  func withBytes<Result>(of item: Item, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    unsafe bytes.withUnsafeBytes { all in
      unsafe body(UnsafeRawBufferPointer(rebasing: all[item.byteRange]))
    }
  }

  /// Drops the oldest packet.
  mutating func removeFirst() {
    head += 1
    if head == items.count { removeAll() }
  }

  /// Drops everything and keeps the memory.
  mutating func removeAll() {
    head = 0
    items.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
  }

  /// Appends a packet.
  mutating func append(
    _ packet: Span<UInt8>, metadata: PacketMetadata, startsStream: CodedStreamDescription?,
    said: StreamMetadata? = nil
  ) {
    let start = bytes.count
    unsafe packet.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    items.append(
      Item(
        byteRange: start..<bytes.count, metadata: metadata, startsStream: startsStream, said: said))
  }

  /// Appends samples.
  mutating func append(_ samples: Span<Float>, metadata: PacketMetadata, news: RunNews) {
    let start = bytes.count
    unsafe samples.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    items.append(
      Item(
        byteRange: start..<bytes.count, metadata: metadata, startsStream: news.begun?.stream,
        start: news.begun?.start, said: news.said?.metadata, saidOf: news.said?.track))
  }

  /// Calls `body` with a packet that was not dropped yet.
  func withSpan<Result>(of item: Item, _ body: (Span<UInt8>) -> Result) -> Result {
    body(bytes.span.extracting(item.byteRange))
  }
}
