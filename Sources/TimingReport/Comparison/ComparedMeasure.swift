// SPDX-License-Identifier: MIT

extension TimingComparison {
  /// A figure of a run that is compared. Of all of them less is better.
  ///
  /// The raw values are what a file has: they are not changed.
  public enum Measure: String, Sendable, CaseIterable, Codable {
    /// Nanoseconds of lateness that half of the cycles do not exceed.
    case latenessP50
    /// Nanoseconds of lateness that 99 % of the cycles do not exceed.
    case latenessP99
    /// Nanoseconds of lateness that 99.9 % of the cycles do not exceed.
    case latenessP999
    /// The greatest lateness, in nanoseconds.
    case latenessMaximum
    /// Nanoseconds that half of the callbacks do not exceed.
    case durationP50
    /// Nanoseconds that 99 % of the callbacks do not exceed.
    case durationP99
    /// Nanoseconds that 99.9 % of the callbacks do not exceed.
    case durationP999
    /// The longest callback, in nanoseconds.
    case durationMaximum
    /// The callback's durations over the periods: 0 to 1, or more.
    case dspLoad
    /// Nanoseconds of processor time that the process took in a second.
    case processorTimePerSecond

    /// Whether the figure is a time, in nanoseconds; ``dspLoad`` is a share.
    public var isNanoseconds: Bool { self != .dspLoad }

    /// The figure of a run; nil when it was not measured, or is no number.
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
