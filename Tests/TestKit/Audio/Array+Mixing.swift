// SPDX-License-Identifier: MIT

extension [Float] {
  /// Adds the samples of a sound of the same length. Compiled with the optimiser, unlike tests.
  public mutating func mix(_ other: [Float]) {
    precondition(other.count == count, "sounds of different lengths")
    for index in indices { self[index] += other[index] }
  }
}
