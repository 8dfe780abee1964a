// SPDX-License-Identifier: MIT

/// The limits of each comparison: lines of NAME, `at-most` or `at-least`, the goal, and the limit that
/// fails a check. `#` begins a comment.
struct Thresholds {
  struct Entry {
    var isUpperBound: Bool
    var goal: Double
    var limit: Double

    func isMet(_ value: Double) -> Bool { isUpperBound ? value <= goal : value >= goal }
    func isWithinLimit(_ value: Double) -> Bool { isUpperBound ? value <= limit : value >= limit }
  }

  private(set) var entries: [String: Entry] = [:]

  init() {}

  init(path: String) throws(BenchmarkFailure) {
    let text = try WholeFile.text(path)
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let words = line.prefix { $0 != "#" }.split(separator: " ").map(String.init)
      if words.isEmpty { continue }
      guard words.count == 4, words[1] == "at-most" || words[1] == "at-least",
        let goal = Double(words[2]), let limit = Double(words[3])
      else {
        throw BenchmarkFailure(
          "\(path), line \(index + 1): expected NAME at-most|at-least GOAL LIMIT")
      }
      entries[words[0]] = Entry(isUpperBound: words[1] == "at-most", goal: goal, limit: limit)
    }
  }
}
