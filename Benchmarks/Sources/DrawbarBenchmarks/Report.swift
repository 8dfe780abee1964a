// SPDX-License-Identifier: MIT

/// The figures as text and as JSON.
struct Report {
  let thresholds: Thresholds
  private(set) var results: [ComparisonResult] = []
  private var tables: [ResamplerTable] = []
  private var capacities: [StreamCapacity] = []
  private(set) var isWithinLimits = true

  init(thresholds: Thresholds) {
    self.thresholds = thresholds
  }

  static let heading = """
    Nanoseconds of processor time per operation: least and median over the rounds, then the ratio
    within a round: its median, and its quartiles.
    """

  /// Adds a result and returns its lines.
  mutating func add(_ result: ComparisonResult) -> String {
    results.append(result)
    let comparison = result.comparison
    var lines = ["\(comparison.name), per \(comparison.operation): \(comparison.input)"]
    lines.append(line(comparison.baseline.name, result.baseline))
    lines.append(line(comparison.subject.name, result.subject))
    if result.feed.maximum > 0 {
      lines[2] += "   feeder \(Self.text(result.feed.median)), the rest render"
    }
    var verdict =
      "  ratio \(Self.text(result.ratios.median, digits: 3)) "
      + "(\(Self.text(result.ratios.lowerQuartile, digits: 3)) to "
      + "\(Self.text(result.ratios.upperQuartile, digits: 3)))"
    if result.ratios.median < 0.5 {
      verdict += ": \(Self.text(1 / result.ratios.median, digits: 1)) times as fast"
    }
    if let megabytes = result.megabytesPerSecond {
      verdict += "; \(Self.text(megabytes, digits: 0)) MB/s"
    }
    verdict += judge(result.value, of: comparison.name)
    return (lines + [verdict]).joined(separator: "\n")
  }

  /// Returns the thresholds' verdict on a figure.
  private mutating func judge(_ value: Double, of name: String) -> String {
    guard let entry = thresholds.entries[name] else { return "" }
    let word = entry.isUpperBound ? "at most" : "at least"
    var verdict = "; goal \(word) \(Self.short(entry.goal)): "
    verdict += entry.isMet(value) ? "met" : "missed"
    if !entry.isWithinLimit(value) {
      verdict += "; BEYOND THE LIMIT of \(Self.short(entry.limit))"
      isWithinLimits = false
    }
    return verdict
  }

  /// Adds the figures of the most streams and returns their lines.
  mutating func add(_ capacity: StreamCapacity) -> String {
    capacities.append(capacity)
    return capacity.text + judge(capacity.share, of: StreamCapacity.name)
  }

  /// Adds a table and returns its lines.
  mutating func add(_ table: ResamplerTable) -> String {
    tables.append(table)
    return table.text
  }

  private func line(_ name: String, _ samples: Samples) -> String {
    let digits = samples.median < 100 ? 2 : 0
    let label = name + String(repeating: " ", count: max(1, 22 - name.count))
    return
      "  \(label)\(Self.padded(samples.minimum, digits)) \(Self.padded(samples.median, digits))"
  }

  /// All results as one JSON array, with an object for each row of a table.
  var json: String {
    let objects = results.map { result in
      """
      {"name":"\(result.comparison.name)","input":"\(Self.escaped(result.comparison.input))",\
      "operation":"\(result.comparison.operation)",\
      "baseline":\(Self.json(result.baseline)),"subject":\(Self.json(result.subject)),\
      "feedNanoseconds":\(result.feed.median),"ratio":\(Self.json(result.ratios)),\
      "megabytesPerSecond":\(result.megabytesPerSecond.map { "\($0)" } ?? "null")}
      """
    }
    let all = objects + tables.flatMap(\.jsonObjects) + capacities.map(\.jsonObject)
    return "[\n" + all.joined(separator: ",\n") + "\n]\n"
  }

  private static func json(_ samples: Samples) -> String {
    """
    {"minimum":\(samples.minimum),"lowerQuartile":\(samples.lowerQuartile),\
    "median":\(samples.median),"upperQuartile":\(samples.upperQuartile),\
    "maximum":\(samples.maximum)}
    """
  }

  private static func escaped(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      switch scalar {
      case "\"", "\\": "\\\(scalar)"
      case "\u{0}"..<" ": " "
      default: String(scalar)
      }
    }.joined()
  }

  private static func padded(_ value: Double, _ digits: Int) -> String {
    let number = text(value, digits: digits)
    return String(repeating: " ", count: max(0, 10 - number.count)) + number
  }

  /// A number in its shortest form.
  private static func short(_ value: Double) -> String {
    value == value.rounded() ? text(value, digits: 0) : "\(value)"
  }

  private static func text(_ value: Double, digits: Int? = nil) -> String {
    value.decimal(digits ?? (value < 100 ? 2 : 0))
  }
}
