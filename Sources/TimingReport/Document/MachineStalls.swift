// SPDX-License-Identifier: MIT

/// How often the machine itself stands still, found by a loop that does nothing but look at the clock: by its
/// firmware, its interrupts, and, where it is a virtual one, its host.
///
/// The kernel's hwlat and osnoise tracers look for the same. A callback that runs for a second in all stands still
/// about so often, too, whatever it does.
public struct MachineStalls: Sendable, Equatable, Codable {
  /// Stalls that were longer than a time.
  public struct Longer: Sendable, Equatable, Codable {
    /// The time.
    public var nanoseconds: UInt64
    /// How many were longer.
    public var count: UInt64
  }

  /// How the loop's thread was scheduled, such as `SCHED_FIFO 99`; nil when that is not known.
  public var scheduling: String?
  /// Nanoseconds that the loop ran in all.
  public private(set) var measuredNanoseconds: UInt64 = 0
  /// The longest stall; 0 when none was as long as the shortest that is counted.
  public private(set) var longestNanoseconds: UInt64 = 0
  /// Counts, the shortest time first. A stall is in each that it is longer than.
  public private(set) var longer = [20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000].map {
    Longer(nanoseconds: $0, count: 0)
  }

  /// Nothing was measured yet.
  public init() {}

  /// Counts the time between two looks at the clock.
  public mutating func add(gapNanoseconds: UInt64) {
    guard let shortest = longer.first, gapNanoseconds > shortest.nanoseconds else { return }
    longestNanoseconds = max(longestNanoseconds, gapNanoseconds)
    for place in longer.indices where gapNanoseconds > longer[place].nanoseconds {
      longer[place].count += 1
    }
  }

  /// Counts time that the loop ran.
  public mutating func add(measuredNanoseconds: UInt64) {
    self.measuredNanoseconds += measuredNanoseconds
  }

  /// Takes in what was measured at another time.
  public mutating func add(_ other: MachineStalls) {
    scheduling = other.scheduling ?? scheduling
    measuredNanoseconds += other.measuredNanoseconds
    longestNanoseconds = max(longestNanoseconds, other.longestNanoseconds)
    for stalls in other.longer {
      guard let place = longer.firstIndex(where: { $0.nanoseconds == stalls.nanoseconds }) else {
        continue
      }
      longer[place].count += stalls.count
    }
  }

  /// Such stalls in each second that something runs; nil when nothing was measured.
  public func timesPerSecond(_ stalls: Longer) -> Double? {
    guard measuredNanoseconds > 0 else { return nil }
    return Double(stalls.count) / (Double(measuredNanoseconds) / 1_000_000_000)
  }
}
