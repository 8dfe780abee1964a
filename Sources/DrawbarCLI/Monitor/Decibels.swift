// SPDX-License-Identifier: MIT

import Glibc

/// Gains and levels in decibels; full scale is 0.
enum Decibels {
  static func factor(_ decibels: Double) -> Float {
    Float(pow(10, decibels / 20))
  }

  /// Returns nil for silence.
  static func value(_ factor: Float) -> Double? {
    factor > 0 ? 20 * log10(Double(factor)) : nil
  }

  /// Returns a text with one decimal digit and a sign, six columns wide; "  -inf" for silence.
  static func text(_ factor: Float) -> String {
    value(factor).map { text(decibels: $0) } ?? "  -inf"
  }

  static func text(decibels: Double) -> String {
    let tenths = Int((max(-999, min(decibels, 999)).magnitude * 10).rounded())
    let text = "\(decibels < 0 && tenths > 0 ? "-" : "+")\(tenths / 10).\(tenths % 10)"
    return String(repeating: " ", count: max(0, 6 - text.count)) + text
  }
}
