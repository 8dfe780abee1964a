// SPDX-License-Identifier: MIT

/// The end of a stream, as its last pages state it.
struct OggTail: Equatable {
  /// The end of the last packet in time.
  var granule: Int64
  /// Frames of the last page's packets after the end; nil if the tail is too short.
  var remainderFrames: Int64?

  /// Reads the stream's last bytes for the pages of one logical stream; nil if there are none, or
  /// another stream follows.
  init?(_ tail: Span<UInt8>, serial: UInt32, mapping: any OggMapping) {
    var mapping = mapping
    mapping.forgetLastPacket()
    var ends: (last: Int64?, before: Int64?) = (nil, nil)
    var frames: Int64 = 0
    var lastFrames: Int64 = 0
    var packet: [UInt8] = []
    var hasBegun = false
    var place = 0
    while place < tail.count {
      guard case .page(let page) = OggPage.read(tail, at: place, isEnd: true) else {
        place += 1
        continue
      }
      if page.isFirst, hasBegun { return nil }
      if page.serial == serial, !page.isFirst {
        hasBegun = true
        let bytes = tail.extracting(place..<place + page.byteCount)
        for piece in page.pieces(bytes) {
          if piece.isStart { packet.removeAll(keepingCapacity: true) }
          for index in piece.range { packet.append(bytes[index]) }
          if piece.isEnd { frames += Int64(mapping.frames(packet.span) ?? 0) }
        }
        if let granule = page.granule {
          ends = (granule, ends.last)
          lastFrames = frames
          frames = 0
        }
      }
      place += page.byteCount
    }
    guard let granule = ends.last else { return nil }
    self.granule = granule
    remainderFrames = ends.before.map { max(0, $0 + lastFrames - granule) }
  }
}
