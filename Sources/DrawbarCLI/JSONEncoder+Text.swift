// SPDX-License-Identifier: MIT

import AudioModel
import FoundationEssentials
import SessionManagement

extension JSONEncoder {
  /// Returns a value's JSON with every controlling scalar escaped. `encode` escapes only those below U+0020; file
  /// names can hold others.
  func text(of value: some Encodable) throws -> String {
    let json = String(decoding: try encode(value), as: UTF8.self)
    var text = ""
    for scalar in json.unicodeScalars {
      // `encode` leaves lower ones between the values only.
      if scalar.value >= 0x7F, scalar.isControlling {
        text += scalar.escapedInJSON
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
