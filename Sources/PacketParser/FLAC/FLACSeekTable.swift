// SPDX-License-Identifier: MIT

/// A SEEKTABLE block (RFC 9639 section 8.5), read in pieces: the byte offsets of some frames. Above the
/// limit, only every second point is kept, then every fourth, and so on.
struct FLACSeekTable {
  struct Point: Equatable {
    /// Frames of sound before the FLAC frame.
    var firstFrame: Int64
    /// Bytes from the first FLAC frame.
    var byteOffset: Int64
  }

  static let maximumPoints = 1 << 14
  private static let pointBytes = 18

  /// The points in order, without placeholders.
  private(set) var points: [Point] = []
  private var piece: [UInt8] = []
  private var stride = 1
  private var count = 0

  /// Reads the block's next bytes.
  mutating func read(_ bytes: Span<UInt8>) {
    for index in 0..<bytes.count {
      piece.append(bytes[index])
      if piece.count == Self.pointBytes {
        add()
        piece.removeAll(keepingCapacity: true)
      }
    }
  }

  private mutating func add() {
    guard let point = Self.point(piece.span) else { return }
    if let last = points.last {
      guard point.firstFrame > last.firstFrame, point.byteOffset > last.byteOffset else { return }
    }
    if count % stride == 0 { append(point) }
    count += 1
  }

  private static func point(_ bytes: Span<UInt8>) -> Point? {
    let sample = bytes.bigEndian64(at: 0)
    let offset = bytes.bigEndian64(at: 8)
    // 36 bits count a stream's samples; a placeholder has all 64 bits.
    guard sample < 1 << 36, offset < 1 << 48 else { return nil }
    return Point(firstFrame: Int64(sample), byteOffset: Int64(offset))
  }

  private mutating func append(_ point: Point) {
    if points.count == Self.maximumPoints {
      let all = points
      points = Swift.stride(from: 0, to: all.count, by: 2).map { all[$0] }
      // The number of points is even, so this point stays in step.
      stride *= 2
    }
    points.append(point)
  }

  /// Returns the last point at this frame or before, and the next one.
  func points(around frame: Int64) -> (before: Point?, after: Point?) {
    var low = 0
    var end = points.count
    while low < end {
      let middle = low + (end - low) / 2
      if points[middle].firstFrame <= frame { low = middle + 1 } else { end = middle }
    }
    return (low > 0 ? points[low - 1] : nil, low < points.count ? points[low] : nil)
  }
}
