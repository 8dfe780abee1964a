// SPDX-License-Identifier: MIT

/// The warning about samples that were not finite, printed when a command ends.
enum NonFiniteSamples {
  /// Returns nil if there were none.
  static func warning(_ count: UInt64) -> String? {
    if count == 0 { return nil }
    return
      "\(count) sample\(count == 1 ? " was NaN or infinite and is" : "s were NaN or infinite and are") silence: "
      + "look at what brought them"
  }
}
