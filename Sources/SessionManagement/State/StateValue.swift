// SPDX-License-Identifier: MIT

/// A value of a state file, which is JSON (RFC 8259). Members keep their order, so that equal states have equal files.
enum StateValue: Equatable {
  case null
  case bool(Bool)
  /// Read as a double, and written without a fraction if it is a whole number.
  case number(Double)
  case string(String)
  case array([StateValue])
  case object([Member])

  struct Member: Equatable {
    var name: String
    var value: StateValue
  }

  /// The JSON text: one line for each member of the outermost object, and for each element of its arrays.
  var text: String {
    guard case .object(let members) = self else { return compactText + "\n" }
    let lines = members.map { member in
      let name = "  \(member.name.quotedAsJSON): "
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
    case .string(let text): text.quotedAsJSON
    case .array(let elements): "[" + elements.map(\.compactText).joined(separator: ", ") + "]"
    case .object(let members):
      "{"
        + members.map { $0.name.quotedAsJSON + ": " + $0.value.compactText }.joined(separator: ", ")
        + "}"
    }
  }
}
