// SPDX-License-Identifier: MIT

/// A key with a meaning for the program.
enum TerminalKey: Equatable {
  case character(UInt8)
  case left, right, up, down, home, pageUp, pageDown
}

/// A decoder of the bytes from a terminal, in pieces of any size, into keys: characters, and the sequences of ECMA-48
/// and xterm for other keys.
struct TerminalKeyDecoder {
  /// An incomplete sequence.
  private var pending: [UInt8] = []

  /// Adds bytes and returns the keys that they complete.
  mutating func decode(_ bytes: [UInt8]) -> [TerminalKey] {
    var keys: [TerminalKey] = []
    for byte in bytes {
      // Escape begins a new sequence in any state: alone it is a key without a meaning.
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
        // CSI or SS3 continues the sequence; any other byte is a key after Escape.
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
