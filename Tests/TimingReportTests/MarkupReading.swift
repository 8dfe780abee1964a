// SPDX-License-Identifier: MIT

/// Reads well-formed XML without declared entities, and throws for anything else.
struct MarkupReading {
  struct Element {
    var name: String
    var attributes: [String: String]
    /// The element's texts, including those of the elements in it.
    var text = ""
  }

  struct Fault: Error {
    var place: String
  }

  /// The elements, in the order of their start tags.
  private(set) var elements: [Element] = []
  private var open: [Int] = []
  private var rest: Substring

  /// Reads a whole document, which may begin with a line for its document type.
  init(_ markup: String) throws {
    rest = markup[...]
    if rest.hasPrefix("<!DOCTYPE html>") { rest = rest.dropFirst("<!DOCTYPE html>".count) }
    while !rest.isEmpty {
      if rest.first == "<" { try readTag() } else { try readText() }
    }
    guard open.isEmpty, !elements.isEmpty else { throw Fault(place: "end") }
  }

  /// The elements with this name.
  subscript(_ name: String) -> [Element] { elements.filter { $0.name == name } }

  private mutating func readText() throws {
    let text = rest.prefix { $0 != "<" }
    rest = rest.dropFirst(text.count)
    guard !open.isEmpty else {
      if text.allSatisfy(\.isWhitespace) { return }
      throw fault
    }
    let plain = try Self.plain(text)
    for element in open { elements[element].text += plain }
  }

  private mutating func readTag() throws {
    rest.removeFirst()
    let closes = rest.first == "/"
    if closes { rest.removeFirst() }
    let name = readName()
    guard !name.isEmpty else { throw fault }
    if closes {
      guard rest.first == ">", let last = open.popLast(), elements[last].name == name else {
        throw fault
      }
      rest.removeFirst()
      return
    }
    if open.isEmpty, !elements.isEmpty { throw fault }
    var attributes: [String: String] = [:]
    while rest.first == " " {
      rest.removeFirst()
      let attribute = readName()
      guard !attribute.isEmpty, rest.hasPrefix("=\""), attributes[attribute] == nil else {
        throw fault
      }
      rest = rest.dropFirst(2)
      let value = rest.prefix { $0 != "\"" }
      rest = rest.dropFirst(value.count)
      guard rest.popFirst() == "\"", !value.contains("<") else { throw fault }
      attributes[attribute] = try Self.plain(value)
    }
    elements.append(Element(name: name, attributes: attributes))
    if rest.hasPrefix("/>") {
      rest = rest.dropFirst(2)
    } else if rest.popFirst() == ">" {
      open.append(elements.count - 1)
    } else {
      throw fault
    }
  }

  private mutating func readName() -> String {
    let name = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
    rest = rest.dropFirst(name.count)
    return String(name)
  }

  private var fault: Fault { Fault(place: String(rest.prefix(60))) }

  /// Returns the text with its escapes resolved.
  private static func plain(_ text: Substring) throws -> String {
    let escapes = ["amp;": "&", "lt;": "<", "gt;": ">", "quot;": "\"", "#39;": "'"]
    var result = ""
    for (place, part) in text.split(separator: "&", omittingEmptySubsequences: false).enumerated() {
      if place == 0 {
        result += part
      } else if let escape = escapes.first(where: { part.hasPrefix($0.key) }) {
        result += escape.value + part.dropFirst(escape.key.count)
      } else {
        throw Fault(place: "&" + part.prefix(60))
      }
    }
    let isAllowed = result.unicodeScalars.allSatisfy {
      $0 == "\n" || $0 == "\t" || ($0.value >= 0x20 && $0.value & 0xFFFE != 0xFFFE)
    }
    guard isAllowed else { throw Fault(place: result) }
    return result
  }
}
