// SPDX-License-Identifier: MIT

import AudioModel

/// A value of the types that MPRIS uses (D-Bus specification, "Type System").
enum BusValue: Equatable {
  case boolean(Bool)
  case double(Double)
  case int32(Int32)
  case int64(Int64)
  case string(String)
  case objectPath(String)
  case strings([String])
  /// In the order in which they are sent.
  case dictionary([BusEntry])

  /// The type in D-Bus's notation.
  var signature: StaticString {
    switch self {
    case .boolean: "b"
    case .double: "d"
    case .int32: "i"
    case .int64: "x"
    case .string: "s"
    case .objectPath: "o"
    case .strings: "as"
    case .dictionary: "a{sv}"
    }
  }
}

/// An entry of a dictionary.
struct BusEntry: Equatable {
  var name: String
  var value: BusValue
}

extension String {
  /// The text as a D-Bus string. sd-bus refuses a whole message for a NUL or noncharacter, and no screen shows more
  /// than 4096 scalars.
  var asBusString: String { onOneLine(atMost: 4096) }
}
