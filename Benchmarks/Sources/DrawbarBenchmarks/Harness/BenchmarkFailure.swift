// SPDX-License-Identifier: MIT

/// The reason for missing figures, in one line.
struct BenchmarkFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
