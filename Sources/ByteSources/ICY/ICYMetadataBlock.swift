// SPDX-License-Identifier: MIT

/// The fields of a block of a station's metadata: `StreamTitle='…';StreamUrl='…';adw_ad=1;`, then NULs.
/// Nothing escapes a quote inside a value, so a value ends with its quote and a semicolon behind which there is
/// nothing more, or the next field. A value without quotes ends with a semicolon.
struct ICYMetadataBlock: Hashable {
  /// The title on one line; nil if there is none or it is empty.
  private(set) var title: String?
  /// The address on one line; nil if there is none or it is empty.
  private(set) var url: String?

  /// Parses a block; one that is not of this form has neither field.
  init(_ block: [UInt8]) {
    let end = block.lastIndex { $0 != 0 } ?? -1
    var rest = block[...end]
    while let (name, value) = Self.takeField(from: &rest) {
      let text = StationText.decode(value)
      switch name.lowercased() {
      case "streamtitle": title = title ?? (text.isEmpty ? nil : text)
      case "streamurl": url = url ?? (text.isEmpty ? nil : text)
      default: break
      }
    }
  }

  private static func takeField(
    from rest: inout ArraySlice<UInt8>
  ) -> (name: String, value: ArraySlice<UInt8>)? {
    while let equals = rest.firstIndex(of: UInt8(ascii: "=")) {
      let name = rest[..<equals].suffix(while: isOfName)
      rest = rest[(equals + 1)...]
      guard !name.isEmpty else { continue }
      let value = takeValue(from: &rest)
      return (String(decoding: name, as: UTF8.self), value)
    }
    return nil
  }

  /// Takes a value with or without quotes. A value that begins with a double quote and does not end with one
  /// counts as unquoted: a title may begin with a word in quotes.
  private static func takeValue(from rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let single = UInt8(ascii: "'")
    if let mark = rest.first, mark == single || mark == UInt8(ascii: "\"") {
      let inner = rest.dropFirst()
      let end = inner.indices.first { inner[$0] == mark && isEnd(of: inner, at: $0 + 1) }
      if end != nil || mark == single {
        rest = rest[min((end ?? rest.endIndex) + 1, rest.endIndex)...]
        return inner[..<(end ?? inner.endIndex)]
      }
    }
    let end = rest.indices.first { isEnd(of: rest, at: $0) } ?? rest.endIndex
    defer { rest = rest[end...] }
    return rest[..<end]
  }

  /// Returns whether a value ends before an index: the block ends there, or `;` follows, and then the end or a
  /// field.
  private static func isEnd(of bytes: ArraySlice<UInt8>, at index: Int) -> Bool {
    let behind = bytes[index...]
    guard let first = behind.first else { return true }
    guard first == UInt8(ascii: ";") else { return false }
    let next = behind.dropFirst().drop { $0 == 0x20 || $0 == 0 }
    if next.isEmpty { return true }
    let name = next.prefix { isOfName($0) }
    return !name.isEmpty && next[name.endIndex...].first == UInt8(ascii: "=")
  }

  /// Returns whether a byte can be part of a name: letters, digits, and the signs that join words.
  private static func isOfName(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
      || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
  }
}

extension ArraySlice<UInt8> {
  /// Returns the last elements, as long as all of them fit.
  fileprivate func suffix(while fits: (UInt8) -> Bool) -> ArraySlice {
    let start = indices.reversed().first { !fits(self[$0]) }.map { $0 + 1 }
    return self[(start ?? startIndex)...]
  }
}
