// SPDX-License-Identifier: MIT

/// Consecutive failures, as of a list whose tracks are all missing: the first ones are printed, one on each line, and
/// the others are counted.
struct FailureRun {
  /// The maximum number of printed lines in one run.
  static let printedLimit = 10

  private var count = 0
  private var unprintedCount = 0
  /// The function that prints a line.
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

  /// Counts failures without a message.
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
