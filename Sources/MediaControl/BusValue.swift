// SPDX-License-Identifier: MIT

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

  /// The type as D-Bus writes it.
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
  /// The text as a D-Bus string: without NUL and the code points that are no characters, which would
  /// have the whole message refused, and not longer than a screen has use for.
  var asBusString: String {
    var scalars = String.UnicodeScalarView()
    for scalar in unicodeScalars.prefix(4096) {
      let isNoCharacter =
        scalar.value & 0xFFFE == 0xFFFE || (0xFDD0...0xFDEF).contains(scalar.value)
      scalars.append(scalar.value == 0 || isNoCharacter ? "\u{FFFD}" : scalar)
    }
    return String(scalars)
  }
}
