// SPDX-License-Identifier: MIT

import AudioModel

extension Unicode.Scalar {
  /// The scalar as an escape sequence of JSON; above U+FFFF a pair of them.
  package var escapedInJSON: String {
    var escape = ""
    for unit in UTF16.encode(self)! {
      let digits = String(unit, radix: 16)
      escape += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
    return escape
  }
}

extension String {
  /// The text as a string of JSON (RFC 8259, section 7), with its quotation marks. Controlling scalars are escaped
  /// because a terminal may show the document; a parser restores them.
  package var quotedAsJSON: String {
    var result = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.isControlling: result += scalar.escapedInJSON
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
