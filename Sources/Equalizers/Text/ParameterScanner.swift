// SPDX-License-Identifier: MIT

internal import AudioModel

/// Reads words, numbers and units from the parameters of one line.
struct ParameterScanner {
  private let bytes: ArraySlice<UInt8>
  private var index: Int

  /// Creates a scanner at the start of the parameters. A comment at the start or after a blank is left
  /// out.
  init(_ parameters: ArraySlice<UInt8>) {
    var end = parameters.endIndex
    for place in parameters.indices where parameters[place] == UInt8(ascii: "#") {
      if place == parameters.startIndex || parameters[place - 1].isXMLSpace {
        end = place
        break
      }
    }
    bytes = parameters[parameters.startIndex..<end]
    index = bytes.startIndex
  }

  /// Whether only blanks are left.
  mutating func isAtEnd() -> Bool {
    skipBlanks()
    return index == bytes.endIndex
  }

  /// Takes a word of ASCII letters; empty if something else comes next.
  mutating func word() -> ArraySlice<UInt8> {
    skipBlanks()
    let start = index
    while index < bytes.endIndex, bytes[index].isLetter { index += 1 }
    return bytes[start..<index]
  }

  /// Takes all bytes up to the next blank; empty at the end.
  mutating func token() -> ArraySlice<UInt8> {
    skipBlanks()
    let start = index
    while index < bytes.endIndex, blankLength(at: index) == 0 { index += 1 }
    return bytes[start..<index]
  }

  /// Takes a unit, in any case and with blanks between its letters, such as "H z" in some files.
  ///
  /// - Parameter unit: The unit in lower case.
  mutating func take(unit: String) -> Bool {
    let start = index
    for letter in unit.utf8 {
      skipBlanks()
      guard index < bytes.endIndex, bytes[index].asciiLowercase == letter else {
        index = start
        return false
      }
      index += 1
    }
    return true
  }

  /// Whether a number comes next.
  mutating func isAtNumber() -> Bool {
    skipBlanks()
    guard index < bytes.endIndex else { return false }
    let byte = bytes[index]
    return byte.isDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
      || byte == UInt8(ascii: ".") || byte == UInt8(ascii: ",")
  }

  /// Takes a number, whose decimal mark may be a comma.
  ///
  /// - Parameters:
  ///   - what: The number's name in the error.
  ///   - isGrouped: Whether thousands may be separated, as in ``DecimalNumber/grouped(_:)``.
  mutating func number(
    _ what: String, isGrouped: Bool = false
  ) throws(EqualizerProblem.Reason) -> Double {
    guard isAtNumber() else {
      let text = token()
      throw text.isEmpty ? .missing("the number of \(what)") : .malformedNumber(Self.excerpt(text))
    }
    var digits: [UInt8] = []
    while index < bytes.endIndex {
      let byte = bytes[index]
      let isPart =
        byte.isDigit || "+-.,eE".utf8.contains(byte)
      if isPart {
        digits.append(byte)
        index += 1
        continue
      }
      // A no-break space between digits separates thousands.
      let length = noBreakSpaceLength(at: index)
      guard isGrouped, length > 0, index + length < bytes.endIndex,
        bytes[index + length].isDigit
      else { break }
      index += length
    }
    let value = isGrouped ? DecimalNumber.grouped(digits) : DecimalNumber.plain(digits)
    guard let value else { throw .malformedNumber(Self.excerpt(digits[...])) }
    return value
  }

  /// Throws if anything is left.
  mutating func expectEnd() throws(EqualizerProblem.Reason) {
    guard isAtEnd() else { throw .unexpected(Self.excerpt(token())) }
  }

  /// Returns a part of the text for an error.
  static func excerpt(_ text: ArraySlice<UInt8>) -> String {
    String(String(decoding: text.prefix(160), as: UTF8.self).unicodeScalars.prefix(40))
  }

  private mutating func skipBlanks() {
    while index < bytes.endIndex {
      let length = blankLength(at: index)
      guard length > 0 else { return }
      index += length
    }
  }

  private func blankLength(at place: Int) -> Int {
    bytes[place].isXMLSpace ? 1 : noBreakSpaceLength(at: place)
  }

  /// Returns the bytes of U+00A0 or U+202F; 0 for anything else.
  private func noBreakSpaceLength(at place: Int) -> Int {
    let rest = bytes[place...]
    if rest.starts(with: [0xC2, 0xA0]) { return 2 }
    return rest.starts(with: [0xE2, 0x80, 0xAF]) ? 3 : 0
  }
}

/// Numbers as written in equaliser files.
enum DecimalNumber {
  /// Returns a number with a point or a comma as its decimal mark; nil for anything else, and for
  /// values above a `Double`'s range.
  static func plain(_ text: [UInt8]) -> Double? {
    guard text.count <= 64, text.contains(where: \.isDigit) else { return nil }
    let point = text.map { $0 == UInt8(ascii: ",") ? UInt8(ascii: ".") : $0 }
    guard let value = Double(String(decoding: point, as: UTF8.self)), value.isFinite else {
      return nil
    }
    return value
  }

  /// Returns a number with optional separators of thousands, which Room EQ Wizard writes in
  /// frequencies. A separator is the mark that is not the decimal mark ("1,234.5"), or a single mark
  /// before exactly three last digits ("8.000", "8,000" are 8000, as in Equalizer APO).
  static func grouped(_ text: [UInt8]) -> Double? {
    let marks = text.indices.filter {
      text[$0] == UInt8(ascii: ".") || text[$0] == UInt8(ascii: ",")
    }
    guard let last = marks.last else { return plain(text) }
    let isDecimal = marks.contains { text[$0] != text[last] }
    if isDecimal {
      // The decimal mark may occur only once.
      guard marks.dropLast().allSatisfy({ text[$0] != text[last] }) else { return nil }
      return plain(text.indices.filter { $0 == last || !marks.contains($0) }.map { text[$0] })
    }
    let hasExponent = text.contains { $0.asciiLowercase == UInt8(ascii: "e") }
    guard marks.count == 1, text.count >= 5, last == text.count - 4, !hasExponent else {
      return plain(text)
    }
    return plain(text.indices.filter { $0 != last }.map { text[$0] })
  }
}
