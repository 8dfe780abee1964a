// SPDX-License-Identifier: MIT

/// The stalls of the machine itself, measured by a loop that only reads the clock: they come from its firmware, its
/// interrupts and, on a virtual machine, its host.
///
/// The kernel's hwlat and osnoise tracers measure the same. Any callback has about as many stalls in each second of
/// its running time.
public struct MachineStalls: Sendable, Equatable, Codable {
  /// The stalls longer than a time.
  public struct Longer: Sendable, Equatable, Codable {
    /// The time.
    public var nanoseconds: UInt64
    /// The number of longer stalls.
    public var count: UInt64
  }

  /// The scheduling of the loop's thread, such as `SCHED_FIFO 99`; nil if it is not known.
  public var scheduling: String?
  /// The total running time of the loop, in nanoseconds.
  public private(set) var measuredNanoseconds: UInt64 = 0
  /// The longest stall; 0 if none exceeded the shortest counted time.
  public private(set) var longestNanoseconds: UInt64 = 0
  /// The counts, the shortest time first. A stall counts for each time that it exceeds.
  public private(set) var longer = [20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000].map {
    Longer(nanoseconds: $0, count: 0)
  }

  /// Creates an empty measurement.
  public init() {}

  /// Counts the gap between two readings of the clock.
  public mutating func add(gapNanoseconds: UInt64) {
    guard let shortest = longer.first, gapNanoseconds > shortest.nanoseconds else { return }
    longestNanoseconds = max(longestNanoseconds, gapNanoseconds)
    for place in longer.indices where gapNanoseconds > longer[place].nanoseconds {
      longer[place].count += 1
    }
  }

  /// Adds running time of the loop.
  public mutating func add(measuredNanoseconds: UInt64) {
    self.measuredNanoseconds += measuredNanoseconds
  }

  /// Adds another measurement.
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

  /// Returns the number of such stalls per second of running time; nil if nothing was measured.
  public func timesPerSecond(_ stalls: Longer) -> Double? {
    guard measuredNanoseconds > 0 else { return nil }
    return Double(stalls.count) / (Double(measuredNanoseconds) / 1_000_000_000)
  }
}
