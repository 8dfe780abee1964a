// SPDX-License-Identifier: MIT

/// FLAC's checksums (RFC 9639 sections 9.1.8 and 9.3): most significant bit first, starting from zero.
/// A checksum over data and their own checksum is zero.
enum FLACChecksum {
  /// The CRC-8 with polynomial x^8 + x^2 + x + 1 of bytes `range`.
  static func crc8(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt8 {
    var crc: UInt8 = 0
    for index in range {
      crc ^= bytes[index]
      for _ in 0..<8 { crc = crc & 0x80 != 0 ? crc << 1 ^ 0x07 : crc << 1 }
    }
    return crc
  }

  /// Continues the CRC-16 with polynomial x^16 + x^15 + x^2 + 1 over bytes `range`, eight bytes at a
  /// time: part k of the table is for a byte that k others follow.
  static func crc16(_ start: UInt16, _ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt16 {
    let held = table
    let table = held.span
    var crc = Int(start)
    var place = range.lowerBound
    while range.upperBound - place >= 8 {
      let eight = bytes.bigEndian64(at: place)
      crc =
        Int(table[0x700 + (Int(eight >> 56) ^ crc >> 8)])
        ^ Int(table[0x600 + (Int(eight >> 48 & 0xFF) ^ crc & 0xFF)])
        ^ Int(table[0x500 + Int(eight >> 40 & 0xFF)]) ^ Int(table[0x400 + Int(eight >> 32 & 0xFF)])
        ^ Int(table[0x300 + Int(eight >> 24 & 0xFF)]) ^ Int(table[0x200 + Int(eight >> 16 & 0xFF)])
        ^ Int(table[0x100 + Int(eight >> 8 & 0xFF)]) ^ Int(table[Int(eight & 0xFF)])
      place += 8
    }
    while place < range.upperBound {
      crc = (crc << 8 & 0xFFFF) ^ Int(table[crc >> 8 ^ Int(bytes[place])])
      place += 1
    }
    return UInt16(truncatingIfNeeded: crc)
  }

  private static let table: [UInt16] = {
    var table = [UInt16](repeating: 0, count: 8 * 256)
    for byte in 0..<256 {
      var crc = UInt16(byte) << 8
      for _ in 0..<8 { crc = crc & 0x8000 != 0 ? crc << 1 ^ 0x8005 : crc << 1 }
      table[byte] = crc
    }
    for place in 256..<8 * 256 {
      let crc = table[place - 256]
      table[place] = crc << 8 ^ table[Int(crc >> 8)]
    }
    return table
  }()
}
