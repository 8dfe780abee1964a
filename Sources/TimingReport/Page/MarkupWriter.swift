// SPDX-License-Identifier: MIT

internal import AudioModel

/// A writer of HTML and SVG elements in the form of well-formed XML. Texts and attributes' values may be anything:
/// they are escaped.
struct MarkupWriter {
  /// The markup written so far.
  private(set) var markup = ""

  /// Names and values.
  typealias Attributes = KeyValuePairs<String, String>

  /// Writes an element with content.
  mutating func element(
    _ name: StaticString, _ attributes: Attributes = [:], content: (inout MarkupWriter) -> Void
  ) {
    begin(name, attributes)
    markup += ">"
    content(&self)
    markup += "</\(name)>"
  }

  /// Writes an element with a text.
  mutating func element(_ name: StaticString, _ attributes: Attributes = [:], text: String) {
    element(name, attributes) { $0.text(text) }
  }

  /// Writes an element without content.
  mutating func empty(_ name: StaticString, _ attributes: Attributes = [:]) {
    begin(name, attributes)
    markup += "/>"
  }

  /// Writes a text.
  mutating func text(_ text: String) {
    markup += Self.escaped(text)
  }

  /// Adds finished markup.
  mutating func add(markup text: String) {
    markup += text
  }

  /// Writes a new line between elements, for readers of the source.
  mutating func newLine() {
    markup += "\n"
  }

  private mutating func begin(_ name: StaticString, _ attributes: Attributes) {
    markup += "<\(name)"
    for (name, value) in attributes {
      markup += " \(name)=\"\(Self.escaped(value))\""
    }
  }

  /// Returns a text for content and attributes: nothing in it is markup, and every scalar that XML forbids or that
  /// controls the text around it is replaced.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      case "\n", "\t": result.unicodeScalars.append(scalar)
      default:
        result.unicodeScalars.append(scalar.isControlling ? "\u{FFFD}" : scalar)
      }
    }
    return result
  }
}
