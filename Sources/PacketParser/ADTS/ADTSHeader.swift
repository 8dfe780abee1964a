// SPDX-License-Identifier: MIT

/// The header of an ADTS frame (ISO/IEC 13818-7 section 6.2).
struct ADTSHeader {
  /// Whether the first bytes are those of a header.
  static func mayBegin(_ bytes: Span<UInt8>) -> Bool {
    bytes.count >= 3 && bytes[0] == 0xFF && bytes[1] & 0xF6 == 0xF0 && (bytes[2] >> 2) & 15 <= 12
  }
}
