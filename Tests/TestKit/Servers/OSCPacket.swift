// SPDX-License-Identifier: MIT

/// A message of Open Sound Control 1.0 with strings and integers, written from the specification, independently of the
/// library under test.
public struct OSCPacket: Sendable, Equatable, CustomStringConvertible {
  /// An argument of a message.
  public enum Argument: Sendable, Equatable {
    /// ASCII or UTF-8.
    case string(String)
    /// 32 bits.
    case integer(Int32)
  }

  /// The address pattern.
  public var path: String
  /// The arguments, in order.
  public var arguments: [Argument]

  /// A message.
  public init(_ path: String, _ arguments: [Argument] = []) {
    self.path = path
    self.arguments = arguments
  }

  /// Reads a datagram; nil if it is not such a message.
  public init?(_ bytes: [UInt8]) {
    var rest = bytes[...]
    guard bytes.count % 4 == 0, let path = Self.takeString(&rest), path.hasPrefix("/"),
      let tags = Self.takeString(&rest), tags.hasPrefix(",")
    else { return nil }
    self.init(path)
    for tag in tags.dropFirst() {
      switch tag {
      case "s":
        guard let text = Self.takeString(&rest) else { return nil }
        arguments.append(.string(text))
      case "i":
        guard rest.count >= 4 else { return nil }
        let number = rest.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        arguments.append(.integer(Int32(bitPattern: number)))
        rest = rest.dropFirst(4)
      default: return nil
      }
    }
    guard rest.isEmpty else { return nil }
  }

  /// The datagram.
  public var bytes: [UInt8] {
    var bytes = Self.padded(path)
    bytes += Self.padded(
      ","
        + arguments.map { argument in
          switch argument {
          case .string: "s"
          case .integer: "i"
          }
        }.joined())
    for argument in arguments {
      switch argument {
      case .string(let text): bytes += Self.padded(text)
      case .integer(let number):
        let bits = UInt32(bitPattern: number)
        bytes += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: bits >> $0) }
      }
    }
    return bytes
  }

  /// A text for the messages of tests.
  public var description: String { "\(path) \(arguments)" }

  /// Returns a text with one to four zeros behind it, so that it fills a multiple of four bytes.
  private static func padded(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    return bytes + [UInt8](repeating: 0, count: 4 - bytes.count % 4)
  }

  private static func takeString(_ rest: inout ArraySlice<UInt8>) -> String? {
    guard let end = rest.firstIndex(of: 0) else { return nil }
    let length = end - rest.startIndex
    let text = String(decoding: rest[..<end], as: UTF8.self)
    guard rest.count >= (length / 4 + 1) * 4 else { return nil }
    rest = rest.dropFirst((length / 4 + 1) * 4)
    return text
  }
}
