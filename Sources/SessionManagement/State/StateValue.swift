// SPDX-License-Identifier: MIT

/// A value of a state file, which is JSON (RFC 8259). Members keep their order, so that what is written is the
/// same for the same state.
enum StateValue: Equatable {
  case null
  case bool(Bool)
  /// All that is read is a double; what is written has no fraction where it needs none.
  case number(Double)
  case string(String)
  case array([StateValue])
  case object([Member])

  struct Member: Equatable {
    var name: String
    var value: StateValue
  }

  /// The text, with each member of the outermost object on a line, and each element of an array in it, too.
  var text: String {
    guard case .object(let members) = self else { return compactText + "\n" }
    let lines = members.map { member in
      let name = "  \(Self.quoted(member.name)): "
      guard case .array(let elements) = member.value, !elements.isEmpty else {
        return name + member.value.compactText
      }
      return name + "[\n" + elements.map { "    " + $0.compactText }.joined(separator: ",\n")
        + "\n  ]"
    }
    return "{\n" + lines.joined(separator: ",\n") + "\n}\n"
  }

  private var compactText: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .number(let value):
      if value.isFinite {
        value == value.rounded() && abs(value) < 0x1p53 ? String(Int64(value)) : String(value)
      } else {
        "null"
      }
    case .string(let text): Self.quoted(text)
    case .array(let elements): "[" + elements.map(\.compactText).joined(separator: ", ") + "]"
    case .object(let members):
      "{"
        + members.map { Self.quoted($0.name) + ": " + $0.value.compactText }.joined(separator: ", ")
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
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
