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

  /// The number counts samples, since block sizes differ; else it counts frames.
  var isVariable: Bool
  /// Frames of sound.
  var blockSize: Int
  var number: Int64

  /// What is at a place.
  enum Reading: Equatable {
    case header(FLACFrameHeader)
    case none
    /// Ask again when this many bytes are there from the place on.
    case need(Int)
  }

  /// Reads the header at `place`, which must agree with the stream's information and its own
  /// checksum.
  static func read(
    _ bytes: Span<UInt8>, at place: Int, _ info: FLACStreamInfo, isEnd: Bool
  ) -> Reading {
    let count = bytes.count - place
    func need(_ byteCount: Int) -> Reading { isEnd ? .none : .need(byteCount) }
    guard count >= 1 else { return need(1) }
    guard bytes[place] == 0xFF else { return .none }
    guard count >= 2 else { return need(2) }
    guard bytes[place + 1] & 0xFE == 0xF8 else { return .none }
    guard count >= 5 else { return need(5) }
    let sizeCode = Int(bytes[place + 2] >> 4)
    let rateCode = Int(bytes[place + 2] & 15)
    guard isLegal(bytes[place + 3], info), sizeCode != 0, rateCode != 15 else { return .none }
    // Bytes of the number, by the ones that lead its first byte.
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
    guard let blockSize = blockSize(sizeCode, bytes, at: extra), blockSize <= info.maximumBlockSize,
      isRate(info.sampleRate, rateCode, bytes, at: extra + sizeBytes)
    else { return .none }
    return .header(FLACFrameHeader(isVariable: isVariable, blockSize: blockSize, number: number))
  }

  /// Whether channels and sample size are the stream's.
  private static func isLegal(_ byte: UInt8, _ info: FLACStreamInfo) -> Bool {
    let assignment = Int(byte >> 4)
    let channels = assignment < 8 ? assignment + 1 : assignment <= 10 ? 2 : 0
    let bits = [info.bitsPerSample, 8, 12, 0, 16, 20, 24, 32][Int(byte >> 1 & 7)]
    return byte & 1 == 0 && channels == info.channels && bits == info.bitsPerSample
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

  private static func isRate(
    _ rate: Int, _ code: Int, _ bytes: Span<UInt8>, at place: Int
  ) -> Bool {
    switch code {
    case 0: true
    case 1: rate == 88200
    case 2: rate == 176_400
    case 3: rate == 192_000
    case 4: rate == 8000
    case 5: rate == 16000
    case 6: rate == 22050
    case 7: rate == 24000
    case 8: rate == 32000
    case 9: rate == 44100
    case 10: rate == 48000
    case 11: rate == 96000
    case 12: rate == Int(bytes[place]) * 1000
    case 13: rate == Int(bytes.bigEndian16(at: place))
    case 14: rate == Int(bytes.bigEndian16(at: place)) * 10
    default: false
    }
  }

  /// The first frame of sound in a stream whose blocks, unless they vary, have this size.
  func firstFrame(blockSize: Int) -> Int64 {
    isVariable ? number : number * Int64(blockSize)
  }
}
