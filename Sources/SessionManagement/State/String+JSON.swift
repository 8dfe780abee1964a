// SPDX-License-Identifier: MIT

import AudioModel

extension String {
  /// The text as a string of JSON (RFC 8259, section 7), with its quotation marks. Controlling
  /// scalars are escaped: a terminal may show the document, and its reader gets the text as it is.
  package var quotedAsJSON: String {
    var result = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.isControlling:
        for unit in UTF16.encode(scalar)! {
          let digits = String(unit, radix: 16)
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
