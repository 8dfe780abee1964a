// SPDX-License-Identifier: MIT

/// Four ASCII characters packed into 32 bits, the first in the highest byte: `'lpcm'` is
/// 0x6C70636D. Core Audio's `FourCharCode` (MacTypes.h).
public struct FourCharacterCode: RawRepresentable, Hashable, Sendable {
  /// `b0 << 24 | b1 << 16 | b2 << 8 | b3`.
  public var rawValue: UInt32

  /// Creates the code with this numeric value.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Creates the code from four ASCII characters. Traps on any other number of bytes.
  public init(_ text: String) {
    precondition(text.utf8.count == 4, "a four-character code has four ASCII characters")
    rawValue = text.utf8.reduce(0) { $0 << 8 | UInt32($1) }
  }
}

extension FourCharacterCode: ExpressibleByStringLiteral {
  /// Creates the code from a literal of four ASCII characters. Traps on any other number of bytes.
  public init(stringLiteral text: String) {
    self.init(text)
  }
}

extension FourCharacterCode: CustomStringConvertible {
  /// The four characters, with `?` for bytes that are not printable ASCII.
  public var description: String {
    let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: rawValue >> UInt32($0)) }
    let printable = bytes.map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }
    return String(decoding: printable, as: UTF8.self)
  }
}
