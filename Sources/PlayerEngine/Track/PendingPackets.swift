// SPDX-License-Identifier: MIT

internal import AudioModel
internal import ByteSources
internal import RenderCore

/// Packets that were parsed and are waiting for room in the ring: at most what one read of the source
/// held, so its memory is bounded and, after the first reads, never allocated again.
struct PendingPackets {
  /// One packet, or the start of a new stream before it.
  struct Item {
    var byteRange: Range<Int>
    var history: PacketHistory
    /// The packet begins a new stream.
    var startsStream: CodedStreamDescription?
    /// Where that stream belongs, if another track may be read by the time that the packet is written.
    var place: StreamPlace?
    /// What the station says from the packet on.
    var said: StreamMetadata?
    /// The track that it says it of, likewise.
    var saidOf: Int?
  }

  private var bytes: [UInt8] = []
  private var items: [Item] = []
  private var head = 0

  /// The oldest packet, or nil.
  var first: Item? { head < items.count ? items[head] : nil }

  /// Up to `count` of the oldest packets, all of one stream.
  func first(_ count: Int) -> [Item] {
    let some = items[head..<min(items.count, head + count)]
    let next = some.dropFirst().firstIndex { $0.startsStream != nil }
    return Array(some[..<(next ?? some.endIndex)])
  }

  /// Calls `body` with the bytes of a packet that is still in here.
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

  /// Adds a packet behind the others.
  mutating func append(
    _ packet: Span<UInt8>, history: PacketHistory, startsStream: CodedStreamDescription?,
    said: StreamMetadata? = nil
  ) {
    let start = bytes.count
    unsafe packet.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    items.append(
      Item(
        byteRange: start..<bytes.count, history: history, startsStream: startsStream, said: said))
  }

  /// Adds samples behind the others.
  mutating func append(_ samples: Span<Float>, history: PacketHistory, news: RunNews) {
    let start = bytes.count
    unsafe samples.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    items.append(
      Item(
        byteRange: start..<bytes.count, history: history, startsStream: news.begun?.stream,
        place: news.begun?.place, said: news.said?.metadata, saidOf: news.said?.track))
  }

  /// Calls `body` with a packet that is still in here.
  func withSpan<Result>(of item: Item, _ body: (Span<UInt8>) -> Result) -> Result {
    body(bytes.span.extracting(item.byteRange))
  }
}
