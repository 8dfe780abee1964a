// SPDX-License-Identifier: MIT

/// Decodes base64 (RFC 4648 section 4) that arrives in pieces. Other characters are ignored, and
/// padding ends the data.
struct Base64Reader {
  private var bits: UInt32 = 0
  private var bitCount = 0
  private var hasEnded = false

  /// Returns the bytes that these characters complete.
  mutating func read(_ characters: Span<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    for index in 0..<characters.count where !hasEnded {
      let character = characters[index]
      let value: UInt8
      switch character {
      case 0x41...0x5A: value = character - 0x41
      case 0x61...0x7A: value = character - 0x61 + 26
      case 0x30...0x39: value = character - 0x30 + 52
      case UInt8(ascii: "+"): value = 62
      case UInt8(ascii: "/"): value = 63
      case UInt8(ascii: "="):
        hasEnded = true
        continue
      default: continue
      }
      bits = bits << 6 | UInt32(value)
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
      }
    }
    return bytes
  }
}
