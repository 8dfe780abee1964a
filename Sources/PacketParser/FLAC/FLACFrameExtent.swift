// SPDX-License-Identifier: MIT

/// Finds a FLAC frame's end by reading its subframes (RFC 9639 section 9.2), without decoding them.
///
/// The search for the next header is faster, but fails if no header follows: before foreign bytes, a
/// tag, a damaged header, and at the end of the stream.
struct FLACFrameExtent {
  /// The result of reading the bits.
  enum Reading: Equatable {
    /// The frame ends before this byte, checksum included, and its checksum is correct.
    case end(Int)
    /// There is no frame, or a damaged one.
    case none
    /// The frame continues after the bytes shown.
    case cut
  }

  private enum Stop: Error {
    case broken, cut
  }

  /// Bits from the first byte shown to the next one to read.
  private var place: Int
  private let blockSize: Int

  private init(place: Int, blockSize: Int) {
    self.place = place
    self.blockSize = blockSize
  }

  /// Reads the frame that begins with `header` at byte `start`.
  static func read(
    _ bytes: Span<UInt8>, at start: Int, _ header: FLACFrameHeader, _ info: FLACStreamInfo
  ) -> Reading {
    var walk = Self(place: (start + header.byteCount) * 8, blockSize: header.blockSize)
    let bits = header.bitsPerSample > 0 ? header.bitsPerSample : info.bitsPerSample
    do throws(Stop) {
      for channel in 0..<header.channels {
        try walk.passSubframe(bytes, bits: channel == header.sideChannel ? bits + 1 : bits)
      }
    } catch {
      return error == .cut ? .cut : .none
    }
    let end = (walk.place + 7) / 8 + 2
    guard end <= bytes.count else { return .cut }
    return FLACChecksum.crc16(0, bytes, start..<end) == 0 ? .end(end) : .none
  }

  private mutating func passSubframe(_ bytes: Span<UInt8>, bits: Int) throws(Stop) {
    let header = try read(8, bytes)
    guard header & 0x80 == 0 else { throw .broken }
    let wasted = header & 1 != 0 ? try unary(bytes) + 1 : 0
    let bits = bits - wasted
    guard bits > 0 else { throw .broken }
    let type = header >> 1
    switch type {
    case 0: try skip(bits, bytes)
    case 1: try skip(bits * blockSize, bytes)
    case 8...12: try passPredicted(bytes, bits: bits, order: type - 8, isLinear: false)
    case 32...63: try passPredicted(bytes, bits: bits, order: type - 31, isLinear: true)
    default: throw .broken
    }
  }

  /// Skips the first samples, the coefficients if there are any, and the residual.
  private mutating func passPredicted(
    _ bytes: Span<UInt8>, bits: Int, order: Int, isLinear: Bool
  ) throws(Stop) {
    guard order <= blockSize else { throw .broken }
    try skip(bits * order, bytes)
    if isLinear {
      let precision = try read(4, bytes) + 1
      guard precision < 16 else { throw .broken }
      try skip(5 + precision * order, bytes)
    }
    let method = try read(2, bytes)
    guard method < 2 else { throw .broken }
    let partitions = 1 << (try read(4, bytes))
    let samples = blockSize / partitions
    guard samples * partitions == blockSize, samples >= order else { throw .broken }
    let escape = method == 0 ? 15 : 31
    for partition in 0..<partitions {
      let count = partition == 0 ? samples - order : samples
      let parameter = try read(4 + method, bytes)
      if parameter == escape {
        try skip(try read(5, bytes) * count, bytes)
      } else {
        for _ in 0..<count {
          _ = try unary(bytes)
          place += parameter
        }
      }
    }
    try skip(0, bytes)
  }

  private mutating func skip(_ bits: Int, _ bytes: Span<UInt8>) throws(Stop) {
    place += bits
    guard place <= bytes.count * 8 else { throw .cut }
  }

  private mutating func read(_ width: Int, _ bytes: Span<UInt8>) throws(Stop) -> Int {
    let start = place
    try skip(width, bytes)
    var value = 0
    for bit in start..<place { value = value << 1 | Int(bytes[bit >> 3] >> UInt8(7 - bit & 7) & 1) }
    return value
  }

  /// Reads and counts the zeros before the next one bit, and reads that bit.
  private mutating func unary(_ bytes: Span<UInt8>) throws(Stop) -> Int {
    let start = place
    while true {
      let index = place >> 3
      guard index < bytes.count else { throw .cut }
      let zeros = (bytes[index] << UInt8(place & 7)).leadingZeroBitCount
      if zeros < 8 {
        place += zeros + 1
        return place - start - 1
      }
      place = (index + 1) * 8
    }
  }
}
