// SPDX-License-Identifier: MIT

internal import AudioModel

/// One line `key: value` of the part of YAML that is read here: block mappings, plain and quoted scalars, comments.
struct YAMLLine {
  /// The line's number, from 1.
  var number: Int
  /// The number of blanks before the key.
  var indentation: Int
  var key: String
  /// Nil for no value, `null` and `~`.
  var value: String?
  /// The whole line, for problems.
  var text: ArraySlice<UInt8>

  /// Returns the number of blanks at the start and the rest without its comment; nil for a line without
  /// content.
  static func content(
    of line: ArraySlice<UInt8>
  ) throws(EqualizerProblem.Reason) -> (indentation: Int, content: ArraySlice<UInt8>)? {
    let rest = withoutComment(line).drop { $0 == 0x20 }
    let content = rest.trimmed
    if content.isEmpty { return nil }
    if rest.first == 0x09 { throw .unsupportedYAML("a tab in the indentation") }
    return (rest.startIndex - line.startIndex, content)
  }

  /// Reads a line whose content is known.
  init(
    number: Int, indentation: Int, content: ArraySlice<UInt8>, text: ArraySlice<UInt8>
  ) throws(EqualizerProblem.Reason) {
    self.number = number
    self.indentation = indentation
    self.text = text
    (key, value) = try Self.pair(content)
  }

  init(number: Int, key: String, value: String?, text: ArraySlice<UInt8>) {
    (self.number, self.key, self.value, self.text) = (number, key, value, text)
    indentation = 0
  }

  /// Returns `key: value`, either of them with or without quotes.
  static func pair(
    _ content: ArraySlice<UInt8>
  ) throws(EqualizerProblem.Reason) -> (key: String, value: String?) {
    if content.first == UInt8(ascii: "-"), content.dropFirst().first.map(\.isXMLSpace) ?? true {
      throw .unsupportedYAML("a list")
    }
    var colon = content.startIndex
    if let quote = content.first, quote.isQuote {
      colon = content.dropFirst().firstIndex(of: quote) ?? content.startIndex
    }
    // A colon ends the key if a blank or nothing follows it.
    while colon < content.endIndex {
      let isEnd = colon + 1 == content.endIndex || content[colon + 1].isXMLSpace
      if content[colon] == UInt8(ascii: ":"), isEnd { break }
      colon += 1
    }
    guard colon < content.endIndex, colon > content.startIndex else {
      throw .unsupportedYAML("a line without “key: value”")
    }
    let key = try scalar(content[..<colon].trimmed)
    guard let key else { throw .missing("a key") }
    let value = content[(colon + 1)...].trimmed
    // Only parameters may be a mapping on one line; `flowPairs` splits it.
    if value.first == UInt8(ascii: "{") { return (key, value.text) }
    return (key, try scalar(value))
  }

  /// Returns the pairs of `{type: Peaking, freq: 100}`.
  static func flowPairs(
    _ value: String
  ) throws(EqualizerProblem.Reason) -> [(key: String, value: String?)] {
    let bytes = ArraySlice(value.utf8)
    guard bytes.last == UInt8(ascii: "}"), bytes.count >= 2 else {
      throw .unsupportedYAML("a mapping over several lines")
    }
    let inner = bytes.dropFirst().dropLast()
    guard !inner.contains(where: { "{}[]\"'".utf8.contains($0) }) else {
      throw .unsupportedYAML("a nested mapping on one line")
    }
    var pairs: [(key: String, value: String?)] = []
    for part in inner.split(separator: UInt8(ascii: ",")) where !part.trimmed.isEmpty {
      guard pairs.count < 16 else { throw .tooManyItems("parameters", limit: 16) }
      pairs.append(try pair(part.trimmed))
    }
    return pairs
  }

  private static func scalar(
    _ text: ArraySlice<UInt8>
  ) throws(EqualizerProblem.Reason) -> String? {
    guard let first = text.first else { return nil }
    if first.isQuote {
      guard text.count >= 2, text.last == first, !text.dropFirst().dropLast().contains(first) else {
        throw .unsupportedYAML("a quoted text with quotes in it")
      }
      return text.dropFirst().dropLast().text
    }
    if "[]{}&*!|>%@`?".utf8.contains(first) {
      throw .unsupportedYAML("a value that begins with \(String(UnicodeScalar(first)))")
    }
    return text.isWord("null") || text.isWord("~") ? nil : text.text
  }

  private static func withoutComment(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var quote: UInt8?
    for place in line.indices {
      let byte = line[place]
      let isFirst = place == line.startIndex || line[place - 1].isXMLSpace
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte.isQuote, isFirst {
        quote = byte
      } else if byte == UInt8(ascii: "#"), isFirst {
        return line[..<place]
      }
    }
    return line
  }
}

extension UInt8 {
  fileprivate var isQuote: Bool { self == UInt8(ascii: "\"") || self == UInt8(ascii: "'") }
}
