// SPDX-License-Identifier: MIT

/// The CRC-32 of Ogg pages (RFC 3533 section 6, field 7): polynomial 04C11DB7, most significant bit
/// first, from zero.
enum OggChecksum {
  /// Continues the checksum over bytes `range`, eight at a time: part k of the table is for a byte that
  /// k others follow.
  static func crc32(_ start: UInt32, _ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt32 {
    let held = table
    let table = held.span
    var crc = start
    var place = range.lowerBound
    while range.upperBound - place >= 8 {
      let first = bytes.bigEndian32(at: place) ^ crc
      let second = bytes.bigEndian32(at: place + 4)
      crc =
        table[0x700 + Int(first >> 24)] ^ table[0x600 + Int(first >> 16 & 0xFF)]
        ^ table[0x500 + Int(first >> 8 & 0xFF)] ^ table[0x400 + Int(first & 0xFF)]
        ^ table[0x300 + Int(second >> 24)] ^ table[0x200 + Int(second >> 16 & 0xFF)]
        ^ table[0x100 + Int(second >> 8 & 0xFF)] ^ table[Int(second & 0xFF)]
      place += 8
    }
    while place < range.upperBound {
      crc = crc << 8 ^ table[Int(crc >> 24) ^ Int(bytes[place])]
      place += 1
    }
    return crc
  }

  private static let table: [UInt32] = {
    var table = [UInt32](repeating: 0, count: 8 * 256)
    for byte in 0..<256 {
      var crc = UInt32(byte) << 24
      for _ in 0..<8 { crc = crc & 0x8000_0000 != 0 ? crc << 1 ^ 0x04C1_1DB7 : crc << 1 }
      table[byte] = crc
    }
    for place in 256..<8 * 256 {
      let crc = table[place - 256]
      table[place] = crc << 8 ^ table[Int(crc >> 24)]
    }
    return table
  }()
}
