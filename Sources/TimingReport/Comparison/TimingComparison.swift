// SPDX-License-Identifier: MIT

/// Two documents side by side, such as of two versions of a program: what became better, what worse, and
/// what cannot be told from chance.
///
/// Runs are compared when their subject and conditions are the same. It is for the reader to see that the
/// machines were the same, too: ``TimingDocument/machine``.
public struct TimingComparison: Sendable, Equatable, Codable {
  /// What came of the comparison of a figure.
  public enum Verdict: String, Sendable, Codable {
    /// B is less than A, by more than the runs of a side differ from each other.
    case better
    /// B is more than A, by more than that.
    case worse
    /// A and B differ no more than repetitions do.
    case noise
    /// A side has one run only: nobody knows how repetitions would differ.
    case unknown
  }

  /// A figure in the repetitions of one side. Nanoseconds, or a share (``Measure/isNanoseconds``).
  public struct Side: Sendable, Equatable, Codable {
    /// Runs that have the figure. At least 1.
    public var repetitions: Int
    /// The middle one, or between the two middle ones.
    public var median: Double
    /// The least.
    public var minimum: Double
    /// The greatest.
    public var maximum: Double

    /// How far the runs are from each other, as a part of the median.
    public var spread: Double {
      maximum == minimum ? 0 : median > 0 ? (maximum - minimum) / median : .infinity
    }

    /// Nil without values.
    init?(_ values: [Double]) {
      let sorted = values.sorted()
      guard let first = sorted.first, let last = sorted.last else { return nil }
      let middle = sorted.count / 2
      repetitions = sorted.count
      median =
        sorted.count % 2 == 1
        ? sorted[middle] : sorted[middle - 1] + (sorted[middle] - sorted[middle - 1]) / 2
      minimum = first
      maximum = last
    }
  }

  /// A figure on both sides.
  public struct Row: Sendable, Equatable, Codable {
    /// Which figure.
    public var measure: Measure
    /// In the first document.
    public var a: Side
    /// In the second document.
    public var b: Side
    /// B's median over A's; nil when A's is 0.
    public var ratio: Double?
    /// What that means.
    public var verdict: Verdict
  }

  /// Runs of both documents that were compared.
  public struct Pair: Sendable, Equatable, Codable {
    /// What ran.
    public var subject: String
    /// Under which conditions.
    public var conditions: TimingConditions
    /// The figures that both sides have, in the order of ``Measure``.
    public var rows: [Row]
  }

  /// Runs that the other document has none to compare with.
  public struct Unpaired: Sendable, Equatable, Codable {
    /// What ran.
    public var subject: String
    /// Under which conditions.
    public var conditions: TimingConditions
    /// How many runs.
    public var repetitions: Int
  }

  /// A difference up to this, as a part, is never more than noise.
  public static let noiseFloor = 0.03

  /// What was compared, in the first document's order.
  public var pairs: [Pair]
  /// Runs of the first document without partner.
  public var onlyInA: [Unpaired]
  /// Runs of the second document without partner.
  public var onlyInB: [Unpaired]

  /// Compares two documents.
  ///
  /// - Parameters:
  ///   - a: what was before: the ratios' denominators.
  ///   - b: what is now.
  public init(_ a: TimingDocument, _ b: TimingDocument) {
    let groupsOfA = RunGroup.groups(of: a.runs)
    let groupsOfB = RunGroup.groups(of: b.runs)
    let partners = Dictionary(
      groupsOfB.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
    let keysOfA = Set(groupsOfA.map(\.key))
    pairs = groupsOfA.compactMap { group in
      partners[group.key].map { Pair(group.key, group.runs, $0.runs) }
    }
    onlyInA = groupsOfA.filter { partners[$0.key] == nil }.map(Unpaired.init)
    onlyInB = groupsOfB.filter { !keysOfA.contains($0.key) }.map(Unpaired.init)
  }
}

extension TimingComparison.Pair {
  fileprivate init(_ key: RunGroup.Key, _ a: [TimingRun], _ b: [TimingRun]) {
    subject = key.subject
    conditions = key.conditions
    rows = TimingComparison.Measure.allCases.compactMap { measure in
      guard let a = TimingComparison.Side(a.compactMap(measure.value)),
        let b = TimingComparison.Side(b.compactMap(measure.value))
      else { return nil }
      return TimingComparison.Row(measure: measure, a: a, b: b)
    }
  }
}

extension TimingComparison.Unpaired {
  fileprivate init(_ group: RunGroup) {
    subject = group.key.subject
    conditions = group.key.conditions
    repetitions = group.runs.count
  }
}

extension TimingComparison.Row {
  /// Judges: noise when the ranges of the two sides have something in common, or when the greater median is
  /// above the other by no more than the sides' own spread, or ``TimingComparison/noiseFloor``. So A against
  /// B and B against A are always judged alike.
  init(measure: TimingComparison.Measure, a: TimingComparison.Side, b: TimingComparison.Side) {
    self.measure = measure
    self.a = a
    self.b = b
    ratio = a.median > 0 ? b.median / a.median : nil
    if a.repetitions < 2 || b.repetitions < 2 {
      verdict = .unknown
      return
    }
    let least = a.median < b.median ? a.median : b.median
    let greatest = a.median < b.median ? b.median : a.median
    let difference = greatest > least ? (least > 0 ? greatest / least - 1 : .infinity) : 0
    let allowance = [a.spread, b.spread, TimingComparison.noiseFloor].max() ?? 0
    let rangesMeet = a.minimum <= b.maximum && b.minimum <= a.maximum
    if rangesMeet || difference <= allowance {
      verdict = .noise
    } else {
      verdict = b.median < a.median ? .better : .worse
    }
  }
}
