// SPDX-License-Identifier: MIT

/// The output of `info --json`, with one member on each line, and of `info --jsonl`, with all members on
/// one line.
enum JSONLine {
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// The members' names and the texts of their values, in order.
  static func members(of text: String) throws -> [(name: String, value: String)] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.first == "{", lines.dropLast().last == "}", lines.last == "" else {
      throw Failure(description: "not one object: \(text)")
    }
    return try lines.dropFirst().dropLast(2).enumerated().map { index, line in
      let isLast = index == lines.count - 4
      guard line.hasPrefix("  \""), line.hasSuffix(",") != isLast,
        let colon = line.firstIndex(of: ":")
      else { throw Failure(description: "not a member: \(line)") }
      let value = line[line.index(colon, offsetBy: 2)...]
      return (
        String(line[..<colon].dropFirst(3).dropLast()), String(isLast ? value : value.dropLast())
      )
    }
  }

  /// An object of `info --jsonl` as `info --json` lays it out.
  static func reformatted(_ line: String) throws -> String {
    guard line.hasPrefix("{"), line.hasSuffix("}") else {
      throw Failure(description: "not one object: \(line)")
    }
    var result = "{\n  "
    var depth = 0
    var (isInString, isEscaped) = (false, false)
    for character in line.dropFirst().dropLast() {
      result.append(character)
      if isInString {
        if character == "\"", !isEscaped { isInString = false }
        isEscaped = character == "\\" && !isEscaped
        continue
      }
      switch character {
      case "\"": isInString = true
      case "{", "[": depth += 1
      case "}", "]": depth -= 1
      case ":": result += " "
      case ",": result += depth == 0 ? "\n  " : " "
      default: break
      }
    }
    return result + "\n}\n"
  }

  /// The text of a member that is a string; nil when it is null.
  static func string(_ name: String, in text: String) throws -> String? {
    guard let value = try members(of: text).first(where: { $0.name == name })?.value else {
      throw Failure(description: "no member \(name): \(text)")
    }
    return value.hasPrefix("\"") ? String(value.dropFirst().dropLast()) : nil
  }
}
