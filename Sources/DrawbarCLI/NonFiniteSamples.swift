// SPDX-License-Identifier: MIT

/// The line for sound that was no sound, as a command ends.
enum NonFiniteSamples {
  /// nil for none.
  static func warning(_ count: UInt64) -> String? {
    if count == 0 { return nil }
    return
      "\(count) sample\(count == 1 ? " was NaN or infinite and is" : "s were NaN or infinite and are") silence: "
      + "look at what brought them"
  }
}
