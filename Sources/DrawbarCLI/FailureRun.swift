// SPDX-License-Identifier: MIT

/// Failures that come in a row, as of a list whose tracks are all missing: the first ones are printed, each in
/// a line, and the others are counted.
struct FailureRun {
  /// Lines that are printed of one run.
  static let printedLimit = 10

  private var count = 0
  private var unprintedCount = 0
  /// Prints a line.
  private let print: (String) -> Void

  /// - Parameter print: prints a message that is on one line.
  init(print: @escaping (String) -> Void = Failure.report) {
    self.print = print
  }

  /// Prints a failure's line, or counts it.
  mutating func add(_ line: String) {
    count += 1
    if count <= Self.printedLimit { print(line) } else { unprintedCount += 1 }
  }

  /// Counts failures of which nothing else is known.
  mutating func addUnlisted(_ number: Int) {
    count += number
    unprintedCount += number
  }

  /// Ends the run, and prints the number of failures that were only counted.
  mutating func end() {
    if unprintedCount == 1 { print("1 more entry could not be used") }
    if unprintedCount > 1 { print("\(unprintedCount) more entries could not be used") }
    (count, unprintedCount) = (0, 0)
  }
}
