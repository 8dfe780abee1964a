// SPDX-License-Identifier: MIT

internal import AudioModel

/// Writes elements of HTML and SVG, in the form that is well-formed XML, too. Texts and attributes' values
/// may be anything: they are escaped.
struct MarkupWriter {
  /// What was written so far.
  private(set) var markup = ""

  /// Names and values.
  typealias Attributes = KeyValuePairs<String, String>

  /// An element with content.
  mutating func element(
    _ name: StaticString, _ attributes: Attributes = [:], content: (inout MarkupWriter) -> Void
  ) {
    begin(name, attributes)
    markup += ">"
    content(&self)
    markup += "</\(name)>"
  }

  /// An element with a text.
  mutating func element(_ name: StaticString, _ attributes: Attributes = [:], text: String) {
    element(name, attributes) { $0.text(text) }
  }

  /// An element that has no content.
  mutating func empty(_ name: StaticString, _ attributes: Attributes = [:]) {
    begin(name, attributes)
    markup += "/>"
  }

  /// A text.
  mutating func text(_ text: String) {
    markup += Self.escaped(text)
  }

  /// What is markup already.
  mutating func add(markup text: String) {
    markup += text
  }

  /// A new line between elements, for those who read the source.
  mutating func newLine() {
    markup += "\n"
  }

  private mutating func begin(_ name: StaticString, _ attributes: Attributes) {
    markup += "<\(name)"
    for (name, value) in attributes {
      markup += " \(name)=\"\(Self.escaped(value))\""
    }
  }

  /// A text as it stands in content and in attributes: nothing in it is markup, and every scalar that
  /// XML forbids or that controls the text around it is replaced.
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
