// SPDX-License-Identifier: MIT

/// Makes FLAC frames of silence that replace lost ones.
enum FLACSilence {
  /// Makes a frame of constant subframes (RFC 9639 section 9), with the rate and the bits of the stream
  /// information.
  ///
  /// - Parameter number: the number of its first sample, below 2^36.
  static func frame(
    number: Int64, blockSize: Int, channels: Int, bitsPerSample: Int
  ) -> [UInt8] {
    var frame: [UInt8] = [0xFF, 0xF9, 7 << 4, UInt8(channels - 1) << 4]
    frame += coded(UInt64(number) & 0xF_FFFF_FFFF)
    frame += [UInt8(truncatingIfNeeded: (blockSize - 1) >> 8), UInt8((blockSize - 1) & 0xFF)]
    frame.append(FLACChecksum.crc8(frame.span, 0..<frame.count))
    frame += [UInt8](repeating: 0, count: (channels * (8 + bitsPerSample) + 7) / 8)
    let checksum = FLACChecksum.crc16(0, frame.span, 0..<frame.count)
    return frame + [UInt8(checksum >> 8), UInt8(checksum & 0xFF)]
  }

  /// Encodes a number like UTF-8, in up to seven bytes.
  private static func coded(_ number: UInt64) -> [UInt8] {
    if number < 0x80 { return [UInt8(number)] }
    var rest = number
    var following: [UInt8] = []
    // The first byte has a one bit for each byte, a zero, and the number's highest bits.
    while rest >= 1 << UInt64(6 - following.count) {
      following.insert(0x80 | UInt8(rest & 0x3F), at: 0)
      rest >>= 6
    }
    let lead = UInt8(truncatingIfNeeded: 0xFF << (7 - following.count) & 0xFF)
    return [lead | UInt8(rest)] + following
  }
}
