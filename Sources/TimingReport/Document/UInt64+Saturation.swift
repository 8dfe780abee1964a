// SPDX-License-Identifier: MIT

extension UInt64 {
  /// Returns the sum, at most the largest number: a document from outside may state any counts.
  func addingSaturated(_ other: UInt64) -> UInt64 {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? .max : sum
  }
}
