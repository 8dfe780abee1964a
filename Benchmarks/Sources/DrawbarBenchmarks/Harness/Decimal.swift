// SPDX-License-Identifier: MIT

extension Double {
  /// A finite number with `digits` digits after the point.
  func decimal(_ digits: Int) -> String {
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let scaled = Int((self * scale).rounded())
    let (whole, fraction) = scaled.magnitude.quotientAndRemainder(dividingBy: UInt(scale))
    let sign = scaled < 0 ? "-" : ""
    guard digits > 0 else { return "\(sign)\(whole)" }
    let zeros = String(repeating: "0", count: digits - String(fraction).count)
    return "\(sign)\(whole).\(zeros)\(fraction)"
  }
}
