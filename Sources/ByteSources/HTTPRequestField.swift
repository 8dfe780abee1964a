// SPDX-License-Identifier: MIT

/// A field of an HTTP request (RFC 9110, section 5): a name, and a value that fits on its line.
public struct HTTPRequestField: Hashable, Sendable {
  /// The name, as sent; names are compared without regard to case.
  public let name: String
  /// The value without blanks around it; may be empty.
  public let value: String

  /// Creates a field; nil if the name is not a token, the value contains a control character, or a request for
  /// sound sets this field itself, such as its length, its host and the requested part.
  public init?(name: String, value: String) {
    let value = value.utf8.drop { $0 == 0x20 || $0 == 0x09 }
    let end = value.lastIndex { $0 != 0x20 && $0 != 0x09 }.map { value.index(after: $0) }
    let text = value[..<(end ?? value.startIndex)]
    guard !name.isEmpty, name.utf8.allSatisfy(Self.isTokenByte),
      text.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }),
      !Self.reserved.contains(name.lowercased())
    else { return nil }
    self.name = name
    self.value = String(Substring(text))
  }

  /// Parses `Name: value`; nil if it is not such a field.
  public init?(_ line: String) {
    guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    self.init(name: String(line[..<colon]), value: String(line[line.utf8.index(after: colon)...]))
  }

  /// Whether the value may go only to the location's own server.
  var isPrivate: Bool { ["authorization", "cookie"].contains(name.lowercased()) }

  /// The line for libcurl, which treats a name with a semicolon as a field without a value.
  var line: String { value.isEmpty ? "\(name);" : "\(name): \(value)" }

  private static var reserved: Set<String> {
    [
      "connection", "content-length", "host", "icy-metadata", "if-range", "range", "te", "trailer",
      "transfer-encoding", "upgrade",
    ]
  }

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
