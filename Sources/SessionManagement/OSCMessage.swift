// SPDX-License-Identifier: MIT

/// A message of Open Sound Control 1.0 as a value.
struct OSCMessage: Equatable {
  /// The types that session managers use.
  enum Argument: Equatable {
    case string(String)
    case integer(Int32)
    /// Of another type, or a string that is not UTF-8.
    case other
  }

  var path: String
  var arguments: [Argument] = []
}
