// SPDX-License-Identifier: MIT

/// The header of a FLAC frame (RFC 9639 section 9.1).
///
/// ```
/// 11111111 1111100V  BBBBRRRR CCCCSSS0  number, as UTF-8 has it  [block size] [rate]  CRC-8
/// ```
struct FLACFrameHeader: Equatable {
  /// Bytes of the longest header.
  static let maximumBytes = 16
  /// Bytes of the shortest frame: header, one constant subframe, CRC-16.
  static let minimumFrameBytes = 10

  /// Whether the number counts samples because block sizes differ; otherwise it counts frames.
  var isVariable: Bool
  /// Frames of sound.
  var blockSize: Int
  /// Hertz; 0 if the stream information states the rate.
  var sampleRate: Int
  var channels: Int
  /// The channel that holds a difference and therefore has one more bit per sample.
  var sideChannel: Int?
  /// Bits per sample; 0 if the stream information states them.
  var bitsPerSample: Int
  var number: Int64
  /// Bytes of the header.
  var byteCount: Int

  /// The result of reading at an offset.
  enum Reading: Equatable {
    case header(FLACFrameHeader)
    case none
    /// Call again with this many bytes from the offset on.
    case need(Int)
  }

  /// Reads the header at offset `place`. Its own checksum must match; the stream information need not.
  static func read(_ bytes: Span<UInt8>, at place: Int, isEnd: Bool) -> Reading {
    let count = bytes.count - place
    func need(_ byteCount: Int) -> Reading { isEnd ? .none : .need(byteCount) }
    guard count >= 1 else { return need(1) }
    guard bytes[place] == 0xFF else { return .none }
    guard count >= 2 else { return need(2) }
    guard bytes[place + 1] & 0xFE == 0xF8 else { return .none }
    guard count >= 5 else { return need(5) }
    let sizeCode = Int(bytes[place + 2] >> 4)
    let rateCode = Int(bytes[place + 2] & 15)
    let assignment = Int(bytes[place + 3] >> 4)
    let bitsCode = Int(bytes[place + 3] >> 1 & 7)
    guard sizeCode != 0, rateCode != 15, assignment <= 10, bitsCode != 3, bytes[place + 3] & 1 == 0
    else { return .none }
    // The leading ones of the number's first byte state its length.
    let first = bytes[place + 4]
    let ones = (~first).leadingZeroBitCount
    let isVariable = bytes[place + 1] & 1 != 0
    guard ones != 1, ones <= (isVariable ? 7 : 6) else { return .none }
    let numberBytes = max(1, ones)
    let sizeBytes = sizeCode == 6 ? 1 : sizeCode == 7 ? 2 : 0
    let rateBytes = rateCode == 12 ? 1 : rateCode >= 13 ? 2 : 0
    let end = 4 + numberBytes + sizeBytes + rateBytes
    guard count > end else { return need(end + 1) }
    guard FLACChecksum.crc8(bytes, place..<place + end) == bytes[place + end] else { return .none }

    var number = ones == 0 ? Int64(first) : ones == 7 ? 0 : Int64(first & (0x7F >> UInt8(ones)))
    for index in 1..<max(1, numberBytes) {
      let byte = bytes[place + 4 + index]
      guard byte & 0xC0 == 0x80 else { return .none }
      number = number << 6 | Int64(byte & 0x3F)
    }
    let extra = place + 4 + numberBytes
    guard let blockSize = blockSize(sizeCode, bytes, at: extra), blockSize <= maximumBlockSize,
      let rate = sampleRate(rateCode, bytes, at: extra + sizeBytes)
    else { return .none }
    return .header(
      FLACFrameHeader(
        isVariable: isVariable, blockSize: blockSize, sampleRate: rate,
        channels: assignment < 8 ? assignment + 1 : 2,
        sideChannel: assignment < 8 ? nil : assignment == 9 ? 0 : 1,
        bitsPerSample: bitsPerSample[bitsCode], number: number, byteCount: end + 1))
  }

  /// Frames of sound of the largest block.
  static let maximumBlockSize = 65_535
  /// Bits by their code. 0: the stream information states them. Code 3 is reserved.
  private static let bitsPerSample = [0, 8, 12, 0, 16, 20, 24, 32]

  /// The most bytes of the frame: those of its uncompressed samples, with one more bit for a
  /// difference.
  func byteUpperBound(_ info: FLACStreamInfo) -> Int {
    let bits = bitsPerSample > 0 ? bitsPerSample : info.bitsPerSample
    let stored = (blockSize * (bits + 1) + 7) / 8 + 5
    return Self.maximumBytes + channels * stored + 2
  }

  private static func blockSize(_ code: Int, _ bytes: Span<UInt8>, at place: Int) -> Int? {
    switch code {
    case 1: 192
    case 2...5: 576 << (code - 2)
    case 6: Int(bytes[place]) + 1
    case 7: Int(bytes.bigEndian16(at: place)) + 1
    case 8...15: 256 << (code - 8)
    default: nil
    }
  }

  /// Hertz; nil for an impossible rate.
  private static func sampleRate(_ code: Int, _ bytes: Span<UInt8>, at place: Int) -> Int? {
    let rates = [
      0, 88_200, 176_400, 192_000, 8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000,
    ]
    let rate =
      switch code {
      case 12: Int(bytes[place]) * 1000
      case 13: Int(bytes.bigEndian16(at: place))
      case 14: Int(bytes.bigEndian16(at: place)) * 10
      default: rates[code]
      }
    return rate > 0 || code == 0 ? rate : nil
  }

  /// The frame's first frame of sound, in a stream of blocks of this size unless they vary.
  func firstFrame(blockSize: Int) -> Int64 {
    isVariable ? number : number * Int64(blockSize)
  }
}
