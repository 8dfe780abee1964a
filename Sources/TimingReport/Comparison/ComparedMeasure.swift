// SPDX-License-Identifier: MIT

extension TimingComparison {
  /// A compared figure of a run. For all of them less is better.
  ///
  /// The raw values are the names in a file, and do not change.
  public enum Measure: String, Sendable, CaseIterable, Codable {
    /// The median lateness, in nanoseconds.
    case latenessP50
    /// The 99th percentile of the lateness, in nanoseconds.
    case latenessP99
    /// The 99.9th percentile of the lateness, in nanoseconds.
    case latenessP999
    /// The greatest lateness, in nanoseconds.
    case latenessMaximum
    /// The median duration of a callback, in nanoseconds.
    case durationP50
    /// The 99th percentile of the callbacks' durations, in nanoseconds.
    case durationP99
    /// The 99.9th percentile of the callbacks' durations, in nanoseconds.
    case durationP999
    /// The longest callback, in nanoseconds.
    case durationMaximum
    /// The sum of the callback's durations, divided by that of the periods: 0 to 1, or more.
    case dspLoad
    /// Processor time of the process per second, in nanoseconds.
    case processorTimePerSecond

    /// Whether the figure is a time, in nanoseconds; ``dspLoad`` is a share.
    public var isNanoseconds: Bool { self != .dspLoad }

    /// Returns the figure of a run; nil if it was not measured, or is no number.
    public func value(of run: TimingRun) -> Double? {
      switch self {
      case .latenessP50: nanoseconds(run[.lateness]?.p50Nanoseconds)
      case .latenessP99: nanoseconds(run[.lateness]?.p99Nanoseconds)
      case .latenessP999: nanoseconds(run[.lateness]?.p999Nanoseconds)
      case .latenessMaximum: nanoseconds(run[.lateness]?.maximumNanoseconds)
      case .durationP50: nanoseconds(run[.duration]?.p50Nanoseconds)
      case .durationP99: nanoseconds(run[.duration]?.p99Nanoseconds)
      case .durationP999: nanoseconds(run[.duration]?.p999Nanoseconds)
      case .durationMaximum: nanoseconds(run[.duration]?.maximumNanoseconds)
      case .dspLoad:
        run.cycles > 0 && run.dspLoad.isFinite && run.dspLoad >= 0 ? run.dspLoad : nil
      case .processorTimePerSecond: processorTimePerSecond(run.process)
      }
    }

    private func nanoseconds(_ value: UInt64?) -> Double? { value.map { Double($0) } }

    private func processorTimePerSecond(_ cost: ProcessCost?) -> Double? {
      guard let cost, cost.wallNanoseconds > 0 else { return nil }
      return Double(cost.cpuNanoseconds) / Double(cost.wallNanoseconds) * 1_000_000_000
    }
  }
}
