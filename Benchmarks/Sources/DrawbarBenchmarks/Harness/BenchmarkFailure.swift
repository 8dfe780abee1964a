// SPDX-License-Identifier: MIT

/// Why no figures can be had, in one line.
struct BenchmarkFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
