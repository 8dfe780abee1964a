// SPDX-License-Identifier: MIT

/// What a block of a station's metadata says: `StreamTitle='…';StreamUrl='…';`, then NULs. Nothing
/// escapes a quote inside a value, so a value ends with a quote and a semicolon behind which there is
/// nothing more, or the next field.
struct ICYMetadataBlock: Hashable {
  /// The title on one line; nil if there is none or it is empty.
  private(set) var title: String?
  /// The address on one line; nil if there is none or it is empty.
  private(set) var url: String?

  /// Reads a block; one that is not of this form has nothing to say.
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
      let name = rest[..<equals].suffix(while: isLetter)
      rest = rest[(equals + 1)...]
      guard !name.isEmpty, rest.first == quote else { continue }
      rest = rest.dropFirst()
      let end = rest.indices.first { rest[$0] == quote && isEnd(of: rest, at: $0) }
      let value = rest[..<(end ?? rest.endIndex)]
      rest = rest[min((end ?? rest.endIndex) + 1, rest.endIndex)...]
      return (String(decoding: name, as: UTF8.self), value)
    }
    return nil
  }

  /// Whether a quote is a value's last: what follows it is the end, or `;` and the end or a field.
  private static func isEnd(of bytes: ArraySlice<UInt8>, at quote: Int) -> Bool {
    let behind = bytes[(quote + 1)...]
    guard let first = behind.first else { return true }
    guard first == UInt8(ascii: ";") else { return false }
    let next = behind.dropFirst().drop { $0 == 0x20 || $0 == 0 }
    if next.isEmpty { return true }
    let name = next.prefix { isLetter($0) }
    return !name.isEmpty && next[name.endIndex...].starts(with: "='".utf8)
  }

  private static var quote: UInt8 { UInt8(ascii: "'") }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }
}

extension ArraySlice<UInt8> {
  /// The last elements, as long as all of them fit.
  fileprivate func suffix(while fits: (UInt8) -> Bool) -> ArraySlice {
    let start = indices.reversed().first { !fits(self[$0]) }.map { $0 + 1 }
    return self[(start ?? startIndex)...]
  }
}
