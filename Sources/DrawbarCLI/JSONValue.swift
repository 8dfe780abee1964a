// SPDX-License-Identifier: MIT

/// A JSON value (RFC 8259) whose objects keep the order that they were written in, so that output is
/// stable and can be compared as text.
enum JSONValue {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case object([(String, JSONValue)])

  static func optional(_ value: Int64?) -> JSONValue { value.map(JSONValue.integer) ?? .null }
  static func optional(_ value: Double?) -> JSONValue { value.map(JSONValue.number) ?? .null }
  static func optional(_ value: String?) -> JSONValue { value.map(JSONValue.string) ?? .null }

  /// The value as text; objects over several lines, two spaces a level.
  func text(indent: Int = 0) -> String {
    switch self {
    case .null: return "null"
    case .bool(let value): return value ? "true" : "false"
    case .integer(let value): return String(value)
    case .number(let value): return value.isFinite ? String(value) : "null"
    case .string(let value): return Self.quoted(value)
    case .object(let members):
      let space = String(repeating: " ", count: indent + 2)
      let lines = members.map { space + Self.quoted($0) + ": " + $1.text(indent: indent + 2) }
      return "{\n" + lines.joined(separator: ",\n") + "\n" + String(repeating: " ", count: indent)
        + "}"
    }
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
