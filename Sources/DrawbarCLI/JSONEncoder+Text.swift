// SPDX-License-Identifier: MIT

import AudioModel
import FoundationEssentials

extension JSONEncoder {
  /// Returns a value's JSON with every controlling scalar escaped. `encode` escapes only those below U+0020, and
  /// file names can hold others.
  func text(of value: some Encodable) throws -> String {
    let json = String(decoding: try encode(value), as: UTF8.self)
    var text = ""
    for scalar in json.unicodeScalars {
      guard scalar.value >= 0x7F, scalar.isControlling else {
        text.unicodeScalars.append(scalar)
        continue
      }
      for unit in String(scalar).utf16 {
        let digits = String(unit, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
    return text
  }
}
