// SPDX-License-Identifier: MIT

/// A comparison of two documents, such as of two versions of a program: what is better, what is worse, and what may be
/// chance.
///
/// Runs are compared if their subject and conditions are the same. The reader has to check that the machines were the
/// same, too: ``TimingDocument/machine``.
public struct TimingComparison: Sendable, Equatable, Codable {
  /// The result of comparing a figure.
  public enum Verdict: String, Sendable, Codable {
    /// B is less than A, by more than chance explains for repetitions that scatter as these do.
    case better
    /// B is more than A, by more than that.
    case worse
    /// A and B may differ by chance.
    case noise
    /// A side has fewer than ``TimingComparison/fewestRepetitions`` runs, so their scatter is unknown.
    case unknown
  }

  /// A figure in the repetitions of one side, in nanoseconds or as a share (``Measure/isNanoseconds``).
  public struct Side: Sendable, Equatable, Codable {
    /// The number of runs that have the figure. At least 1.
    public var repetitions: Int
    /// The median.
    public var median: Double
    /// The least.
    public var minimum: Double
    /// The greatest.
    public var maximum: Double

    /// The range of the runs, as a share of the median.
    public var spread: Double {
      maximum == minimum ? 0 : median > 0 ? (maximum - minimum) / median : .infinity
    }

    /// Returns nil without values.
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
    /// The figure.
    public var measure: Measure
    /// The figure in the first document.
    public var a: Side
    /// The figure in the second document.
    public var b: Side
    /// B's median over A's; nil if A's is 0.
    public var ratio: Double?
    /// The judgement of the difference.
    public var verdict: Verdict
  }

  /// Compared runs of both documents.
  public struct Pair: Sendable, Equatable, Codable {
    /// The measured client.
    public var subject: String
    /// The conditions of the runs.
    public var conditions: TimingConditions
    /// The figures that both sides have, in the order of ``Measure``.
    public var rows: [Row]
  }

  /// Runs without comparable ones in the other document.
  public struct Unpaired: Sendable, Equatable, Codable {
    /// The measured client.
    public var subject: String
    /// The conditions of the runs.
    public var conditions: TimingConditions
    /// The number of runs.
    public var repetitions: Int
  }

  /// The greatest difference, as a share, that always counts as noise.
  public static let noiseFloor = 0.03
  /// The minimum number of runs on each side: two of them do not show how a third one would be.
  public static let fewestRepetitions = 3

  /// The compared runs, in the first document's order.
  public var pairs: [Pair]
  /// Runs of the first document without a partner.
  public var onlyInA: [Unpaired]
  /// Runs of the second document without a partner.
  public var onlyInB: [Unpaired]

  /// Compares two documents.
  ///
  /// - Parameters:
  ///   - a: the earlier measurement, whose figures are the ratios' denominators.
  ///   - b: the later measurement.
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
      TimingComparison.Row(
        measure: measure, a: a.compactMap(measure.value), b: b.compactMap(measure.value))
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
  /// Judges a figure. A against B and B against A are always judged alike. Of a hundred figures that differ by chance
  /// alone, fewer than five are called better or worse: the medians must differ by more than
  /// ``TimingComparison/noiseFloor``, and the means of the logarithms by more than chance reaches one time in fifty.
  ///
  /// - Returns: nil if a side has no value.
  init?(measure: TimingComparison.Measure, a: [Double], b: [Double]) {
    guard let sideA = TimingComparison.Side(a), let sideB = TimingComparison.Side(b) else {
      return nil
    }
    self.measure = measure
    self.a = sideA
    self.b = sideB
    ratio = sideA.median > 0 ? sideB.median / sideA.median : nil
    guard min(a.count, b.count) >= TimingComparison.fewestRepetitions else {
      verdict = .unknown
      return
    }
    let least = min(sideA.median, sideB.median)
    let greatest = max(sideA.median, sideB.median)
    let chance = LogDifference(a, b)
    let isLess = sideB.median < sideA.median
    let isApart =
      greatest > least * (1 + TimingComparison.noiseFloor) && chance.isSignificant
      && (chance.difference < 0) == isLess
    verdict = isApart ? (isLess ? .better : .worse) : .noise
  }
}
