// SPDX-License-Identifier: MIT

internal import Glibc

/// A meter of the time that a virtual machine's host took for others, since the meter's creation.
///
/// The kernel counts this time in ticks, of mostly 10 ms: over a short time it is coarse. Not for the render thread:
/// it reads a file.
public struct StealMeter: Sendable {
  /// A reading of `/proc/stat`, and its time.
  struct Reading: Equatable {
    /// The stolen ticks of all processors together.
    var stolenTicks: UInt64
    var processors: UInt64
    var timeNanoseconds: UInt64
  }

  private let begin: Reading?

  /// Starts the measurement.
  public init() {
    begin = Self.read()
  }

  /// Returns the nanoseconds that the host took, per second and processor since the meter's creation; nil if the
  /// kernel does not report them.
  public func stealNanosecondsPerSecond() -> UInt64? {
    guard let begin, let end = Self.read() else { return nil }
    return Self.nanosecondsPerSecond(
      from: begin, to: end, ticksPerSecond: sysconf(Int32(_SC_CLK_TCK)))
  }

  /// Returns the stolen time between two readings; nil without time between them.
  static func nanosecondsPerSecond(
    from begin: Reading, to end: Reading, ticksPerSecond: Int
  ) -> UInt64? {
    guard end.timeNanoseconds > begin.timeNanoseconds, end.processors > 0, ticksPerSecond > 0
    else { return nil }
    // Some kernels have decreased the count.
    guard end.stolenTicks > begin.stolenTicks else { return 0 }
    let stolenSeconds = Double(end.stolenTicks - begin.stolenTicks) / Double(ticksPerSecond)
    let seconds = Double(end.timeNanoseconds - begin.timeNanoseconds) / 1_000_000_000
    let share = stolenSeconds / seconds / Double(end.processors)
    return UInt64((min(share, 1) * 1_000_000_000).rounded())
  }

  /// Returns the steal column of `/proc/stat`; nil if it has none.
  static func reading(stat text: String, timeNanoseconds: UInt64) -> Reading? {
    var stolenTicks: UInt64?
    var processors: UInt64 = 0
    for line in text.split(whereSeparator: \.isNewline) {
      guard line.hasPrefix("cpu") else { break }
      let columns = line.split(separator: " ")
      if columns[0] == "cpu" {
        // user nice system idle iowait irq softirq steal
        stolenTicks = columns.count > 8 ? UInt64(columns[8]) : nil
      } else {
        processors += 1
      }
    }
    guard let stolenTicks, processors > 0 else { return nil }
    return Reading(
      stolenTicks: stolenTicks, processors: processors, timeNanoseconds: timeNanoseconds)
  }

  private static func read() -> Reading? {
    guard let text = SystemText.read("/proc/stat") else { return nil }
    var time = timespec()
    guard unsafe clock_gettime(CLOCK_MONOTONIC_RAW, &time) == 0 else { return nil }
    return reading(
      stat: text,
      timeNanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
  }
}
