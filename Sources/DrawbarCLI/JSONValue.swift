// SPDX-License-Identifier: MIT

import AudioModel
import SessionManagement

/// A JSON value (RFC 8259) whose objects keep the order of their members, so that output is stable and can be compared
/// as text.
enum JSONValue {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  /// Elements that may be created while they are written.
  case array(AnySequence<JSONValue>)
  case object([(String, JSONValue)])

  /// The maximum scalars of a string: more than any tag needs, so that an output line stays bounded.
  private static let longestText = 1 << 16

  static func optional(_ value: Bool?) -> JSONValue { value.map(JSONValue.bool) ?? .null }
  static func optional(_ value: Int64?) -> JSONValue { value.map(JSONValue.integer) ?? .null }
  static func optional(_ value: Double?) -> JSONValue { value.map(JSONValue.number) ?? .null }
  static func optional(_ value: String?) -> JSONValue { value.map(JSONValue.string) ?? .null }

  /// Writes an object with each member on its own line, including all values in it.
  static func writeLines(
    _ members: [(String, JSONValue)], to output: inout some TextOutputStream
  ) {
    output.write("{\n")
    for (index, member) in members.enumerated() {
      output.write("  " + member.0.quotedAsJSON + ": ")
      member.1.write(to: &output, space: " ")
      output.write(index == members.count - 1 ? "\n" : ",\n")
    }
    output.write("}\n")
  }

  /// Writes the value on one line.
  ///
  /// - Parameter space: the text after a comma or a colon.
  func write(to output: inout some TextOutputStream, space: String = "") {
    switch self {
    case .null: output.write("null")
    case .bool(let value): output.write(value ? "true" : "false")
    case .integer(let value): output.write(String(value))
    case .number(let value): output.write(value.isFinite ? String(value) : "null")
    case .string(let value):
      output.write(value.shortened(to: Self.longestText).quotedAsJSON)
    case .array(let elements):
      var separator = "["
      for element in elements {
        output.write(separator)
        element.write(to: &output, space: space)
        separator = "," + space
      }
      output.write(separator == "[" ? "[]" : "]")
    case .object(let members):
      var separator = "{"
      for (name, value) in members {
        output.write(separator + name.quotedAsJSON + ":" + space)
        value.write(to: &output, space: space)
        separator = "," + space
      }
      output.write(separator == "{" ? "{}" : "}")
    }
  }
}
