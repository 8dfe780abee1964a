// SPDX-License-Identifier: MIT

internal import Glibc

/// Numbers as text for plots and tables.
package enum NumberText {
  /// The text for a missing number.
  static let none = "–"

  /// Returns a number with a fixed number of digits after the point, such as `0.75`.
  ///
  /// - Parameter digits: 0 to 6.
  package static func decimal(_ value: Double, digits: Int) -> String {
    guard value.isFinite else { return none }
    var scale: UInt64 = 1
    for _ in 0..<digits { scale *= 10 }
    let scaled = (value.magnitude * Double(scale)).rounded()
    // Beyond the range of an integer there are no digits after the point.
    guard scaled < 9e18 else { return value.description }
    let integer = UInt64(scaled)
    let sign = value < 0 && integer > 0 ? "-" : ""
    guard digits > 0 else { return "\(sign)\(integer)" }
    let fraction = String(integer % scale)
    let zeros = String(repeating: "0", count: digits - fraction.count)
    return "\(sign)\(integer / scale).\(zeros)\(fraction)"
  }

  /// Returns a number with as few digits after the point as it needs, up to `digits`.
  package static func shortDecimal(_ value: Double, digits: Int) -> String {
    var text = decimal(value, digits: digits)
    guard text.contains("."), !text.contains("e") else { return text }
    while text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    return text
  }

  /// Returns a count with its thousands apart: `1 234 567`, with spaces that do not break a line.
  static func count(_ value: UInt64) -> String {
    let digits = Array(String(value))
    var text = ""
    for (place, digit) in digits.enumerated() {
      if place > 0, (digits.count - place).isMultiple(of: 3) { text += "\u{A0}" }
      text.append(digit)
    }
    return text
  }

  /// Returns nanoseconds as microseconds, to a tenth.
  static func microseconds(_ nanoseconds: UInt64) -> String {
    decimal(Double(nanoseconds) / 1000, digits: 1)
  }

  /// Returns a count for an axis; huge ones as a power of ten.
  static func shortCount(_ value: Double) -> String {
    value < 1e9 && value >= 0 ? count(UInt64(value.rounded())) : powerOfTen(value)
  }

  /// Returns a text such as `1.8e12`.
  private static func powerOfTen(_ value: Double) -> String {
    guard value.isFinite, value > 0 else { return none }
    let exponent = Int(log10(value).rounded(.down))
    return "\(shortDecimal(value / pow(10, Double(exponent)), digits: 1))e\(exponent)"
  }

  /// Returns a time in the unit that suits it, to three digits: `1.33 ms`.
  static func time(nanoseconds: Double) -> String {
    guard nanoseconds.isFinite else { return none }
    if nanoseconds >= 1e15 { return "\(powerOfTen(nanoseconds / 1e9))\u{A0}s" }
    let units = [(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1, "ns")]
    let (size, unit) = units.first { nanoseconds.magnitude >= $0.0 } ?? units[3]
    let value = nanoseconds / size
    let digits = value.magnitude < 10 ? 2 : value.magnitude < 100 ? 1 : 0
    return "\(shortDecimal(value, digits: digits))\u{A0}\(unit)"
  }

  /// Returns a share of 1 as a percentage.
  static func percent(_ share: Double, digits: Int = 1) -> String {
    share.isFinite ? "\(decimal(share * 100, digits: digits))\u{A0}%" : none
  }

  /// Returns frames per second: `44100 Hz`, without trailing zeros.
  static func rate(_ rate: Double) -> String {
    rate.isFinite ? "\(shortDecimal(rate, digits: 3))\u{A0}Hz" : none
  }
}
