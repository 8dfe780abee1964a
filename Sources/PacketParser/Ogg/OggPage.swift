// SPDX-License-Identifier: MIT

/// The header of an Ogg page (RFC 3533 section 6).
///
/// ```
/// "OggS"  version 0  flags  granule 64  serial 32  sequence 32  CRC 32  segment count  lacing values
/// ```
/// A packet is a run of segments that ends with one of fewer than 255 bytes.
struct OggPage {
  static let headerBytes = 27

  /// Whether the first packet continues from the previous page.
  var isContinued: Bool
  /// Whether this is the first page of a logical stream.
  var isFirst: Bool
  /// Whether this is the last page of a logical stream.
  var isLast: Bool
  /// The end in time of the last packet that ends here; nil if none does.
  var granule: Int64?
  var serial: UInt32
  var sequence: UInt32
  /// Bytes of the header with its lacing values.
  var bodyOffset: Int
  /// Bytes of the whole page.
  var byteCount: Int

  /// The result of reading at an offset.
  enum Reading {
    case page(OggPage)
    case none
    /// Call again with this many bytes from the offset on.
    case need(Int)
  }

  /// Reads the page at offset `place`. The checksum needs the whole page.
  static func read(_ bytes: Span<UInt8>, at place: Int, isEnd: Bool) -> Reading {
    let count = bytes.count - place
    func need(_ byteCount: Int) -> Reading { isEnd ? .none : .need(byteCount) }
    guard hasCapture(bytes, at: place) else { return .none }
    guard count >= headerBytes else { return need(headerBytes) }
    guard bytes[place + 4] == 0 else { return .none }
    let bodyOffset = headerBytes + Int(bytes[place + 26])
    guard count >= bodyOffset else { return need(bodyOffset) }
    var byteCount = bodyOffset
    for index in headerBytes..<bodyOffset { byteCount += Int(bytes[place + index]) }
    guard count >= byteCount else { return need(byteCount) }
    guard isWhole(bytes, place..<place + byteCount) else { return .none }
    let flags = bytes[place + 5]
    let granule = Int64(bitPattern: bytes.littleEndian64(at: place + 6))
    return .page(
      OggPage(
        isContinued: flags & 1 != 0, isFirst: flags & 2 != 0, isLast: flags & 4 != 0,
        // No stream is longer than this limit, at which sums of granules cannot overflow.
        granule: (0..<1 << 56).contains(granule) ? granule : nil,
        serial: bytes.littleEndian32(at: place + 14),
        sequence: bytes.littleEndian32(at: place + 18), bodyOffset: bodyOffset,
        byteCount: byteCount))
  }

  /// Whether the bytes at `place` match the first bytes of every page, as far as they are present.
  static func hasCapture(_ bytes: Span<UInt8>, at place: Int) -> Bool {
    let capture: [4 of UInt8] = [0x4F, 0x67, 0x67, 0x53]
    for index in 0..<min(4, bytes.count - place) where bytes[place + index] != capture[index] {
      return false
    }
    return true
  }

  /// Whether the page's CRC is correct. It is computed with zeros in its own field.
  private static func isWhole(_ bytes: Span<UInt8>, _ page: Range<Int>) -> Bool {
    let field = page.lowerBound + 22
    var crc = OggChecksum.crc32(0, bytes, page.lowerBound..<field)
    let zeros: [4 of UInt8] = [0, 0, 0, 0]
    crc = OggChecksum.crc32(crc, zeros.span, 0..<4)
    crc = OggChecksum.crc32(crc, bytes, field + 4..<page.upperBound)
    return crc == bytes.littleEndian32(at: field)
  }

  /// A packet, or a part of one, on a page.
  struct Piece {
    /// Its bytes, counted from the start of the page.
    var range: Range<Int>
    /// Whether the packet begins here.
    var isStart: Bool
    /// Whether the packet ends here.
    var isEnd: Bool
  }

  /// Returns the pieces of packets in the page at the start of `bytes`.
  func pieces(_ bytes: Span<UInt8>) -> [Piece] {
    var pieces: [Piece] = []
    var start = bodyOffset
    var end = bodyOffset
    var isStart = !isContinued
    for index in Self.headerBytes..<bodyOffset {
      end += Int(bytes[index])
      guard bytes[index] < 255 else { continue }
      pieces.append(Piece(range: start..<end, isStart: isStart, isEnd: true))
      start = end
      isStart = true
    }
    if bodyOffset > Self.headerBytes, bytes[bodyOffset - 1] == 255 {
      pieces.append(Piece(range: start..<end, isStart: isStart, isEnd: false))
    }
    return pieces
  }
}
