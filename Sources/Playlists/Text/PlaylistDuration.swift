// SPDX-License-Identifier: MIT

import AudioModel

/// Durations as written in lists.
enum PlaylistDuration {
  /// Returns the nanoseconds of a decimal number of units, up to the first character that is not part
  /// of it.
  ///
  /// - Parameter unitNanoseconds: 1,000,000,000 for seconds, 1,000,000 for milliseconds.
  /// - Returns: nil for no number, for zero and less, which mean an unknown duration, and for values
  ///   above 64 bits.
  static func nanoseconds(_ text: ArraySlice<UInt8>, unitNanoseconds: UInt64) -> UInt64? {
    var rest = text
    if rest.first == UInt8(ascii: "+") { rest.removeFirst() }
    var whole: UInt64 = 0
    while let digit = rest.first, digit.isDigit {
      let (tens, isTooLarge) = whole.multipliedReportingOverflow(by: 10)
      let (sum, isOver) = tens.addingReportingOverflow(UInt64(digit - 0x30))
      if isTooLarge || isOver { return nil }
      whole = sum
      rest.removeFirst()
    }
    var (nanoseconds, isTooLarge) = whole.multipliedReportingOverflow(by: unitNanoseconds)
    if isTooLarge { return nil }
    if rest.first == UInt8(ascii: ".") {
      var scale = unitNanoseconds
      for digit in rest.dropFirst() {
        guard digit.isDigit, scale >= 10 else { break }
        scale /= 10
        let (sum, isOver) = nanoseconds.addingReportingOverflow(UInt64(digit - 0x30) * scale)
        if isOver { return nil }
        nanoseconds = sum
      }
    }
    return nanoseconds > 0 ? nanoseconds : nil
  }
}
