// SPDX-License-Identifier: MIT

internal import Glibc

/// Numbers as they stand in plots and tables.
package enum NumberText {
  /// What stands where there is no number.
  static let none = "–"

  /// With so many digits after the point, such as `0.75`.
  ///
  /// - Parameter digits: 0 to 6.
  package static func decimal(_ value: Double, digits: Int) -> String {
    guard value.isFinite else { return none }
    var scale: UInt64 = 1
    for _ in 0..<digits { scale *= 10 }
    let scaled = (value.magnitude * Double(scale)).rounded()
    // Beyond what an integer holds there are no digits after the point to be shown.
    guard scaled < 9e18 else { return value.description }
    let integer = UInt64(scaled)
    let sign = value < 0 && integer > 0 ? "-" : ""
    guard digits > 0 else { return "\(sign)\(integer)" }
    let fraction = String(integer % scale)
    let zeros = String(repeating: "0", count: digits - fraction.count)
    return "\(sign)\(integer / scale).\(zeros)\(fraction)"
  }

  /// With as few digits after the point as it needs, at most so many.
  package static func shortDecimal(_ value: Double, digits: Int) -> String {
    var text = decimal(value, digits: digits)
    guard text.contains("."), !text.contains("e") else { return text }
    while text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    return text
  }

  /// A count, its thousands apart: `1 234 567`, with spaces that do not break a line.
  static func count(_ value: UInt64) -> String {
    let digits = Array(String(value))
    var text = ""
    for (place, digit) in digits.enumerated() {
      if place > 0, (digits.count - place).isMultiple(of: 3) { text += "\u{A0}" }
      text.append(digit)
    }
    return text
  }

  /// Microseconds to a tenth, of nanoseconds.
  static func microseconds(_ nanoseconds: UInt64) -> String {
    decimal(Double(nanoseconds) / 1000, digits: 1)
  }

  /// A count as it stands on an axis: huge ones as a power of ten.
  static func shortCount(_ value: Double) -> String {
    value < 1e9 && value >= 0 ? count(UInt64(value.rounded())) : powerOfTen(value)
  }

  /// Such as `1.8e12`.
  private static func powerOfTen(_ value: Double) -> String {
    guard value.isFinite, value > 0 else { return none }
    let exponent = Int(log10(value).rounded(.down))
    return "\(shortDecimal(value / pow(10, Double(exponent)), digits: 1))e\(exponent)"
  }

  /// A time in the unit that suits it, to three digits: `1.33 ms`.
  static func time(nanoseconds: Double) -> String {
    guard nanoseconds.isFinite else { return none }
    if nanoseconds >= 1e15 { return "\(powerOfTen(nanoseconds / 1e9))\u{A0}s" }
    let units = [(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1, "ns")]
    let (size, unit) = units.first { nanoseconds.magnitude >= $0.0 } ?? units[3]
    let value = nanoseconds / size
    let digits = value.magnitude < 10 ? 2 : value.magnitude < 100 ? 1 : 0
    return "\(shortDecimal(value, digits: digits))\u{A0}\(unit)"
  }

  /// A share of 1 as a percentage.
  static func percent(_ share: Double, digits: Int = 1) -> String {
    share.isFinite ? "\(decimal(share * 100, digits: digits))\u{A0}%" : none
  }

  /// Frames per second: `44100`, without digits that are zero.
  static func rate(_ rate: Double) -> String {
    rate.isFinite ? "\(shortDecimal(rate, digits: 3))\u{A0}Hz" : none
  }
}
