// SPDX-License-Identifier: MIT

/// A key as the player knows it.
enum TerminalKey: Equatable {
  case character(UInt8)
  case left, right, up, down, home, pageUp, pageDown
}

/// Makes keys out of the bytes that a terminal sends, in whatever pieces they come: a character each, or
/// the sequences of ECMA-48 and xterm for the others.
struct TerminalKeyDecoder {
  /// A sequence that has begun.
  private var pending: [UInt8] = []

  /// Takes bytes; the keys that they complete.
  mutating func decode(_ bytes: [UInt8]) -> [TerminalKey] {
    var keys: [TerminalKey] = []
    for byte in bytes {
      // Escape begins anew whatever has begun: alone it is a key without a meaning.
      if byte == 0x1B {
        pending = [byte]
        continue
      }
      if pending.isEmpty {
        keys.append(.character(byte))
        continue
      }
      pending.append(byte)
      if pending.count == 2 {
        // CSI or SS3 go on; anything else is Escape and a key.
        guard byte == UInt8(ascii: "[") || byte == UInt8(ascii: "O") else {
          pending = []
          keys.append(.character(byte))
          continue
        }
      } else if (0x40...0x7E).contains(byte) || pending.count > 8 {
        if let key = Self.key(pending.dropFirst(2)) { keys.append(key) }
        pending = []
      }
    }
    return keys
  }

  private static func key(_ sequence: ArraySlice<UInt8>) -> TerminalKey? {
    switch String(decoding: sequence, as: UTF8.self) {
    case "A": .up
    case "B": .down
    case "C": .right
    case "D": .left
    case "H", "1~", "7~": .home
    case "5~": .pageUp
    case "6~": .pageDown
    default: nil
    }
  }
}
