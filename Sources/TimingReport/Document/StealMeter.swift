// SPDX-License-Identifier: MIT

internal import Glibc

/// Measures the time that a virtual machine's host took for others, from the meter's making on.
///
/// The kernel counts it in ticks, of mostly 10 ms: over a short time it is coarse. Not for the render
/// thread: it reads a file.
public struct StealMeter: Sendable {
  /// What `/proc/stat` told, and when.
  struct Reading: Equatable {
    /// Of all processors together.
    var stolenTicks: UInt64
    var processors: UInt64
    var timeNanoseconds: UInt64
  }

  private let begin: Reading?

  /// Begins.
  public init() {
    begin = Self.read()
  }

  /// Nanoseconds that the host took, of each second and processor since the meter was made; nil when the
  /// kernel does not tell.
  public func stealNanosecondsPerSecond() -> UInt64? {
    guard let begin, let end = Self.read() else { return nil }
    return Self.nanosecondsPerSecond(
      from: begin, to: end, ticksPerSecond: sysconf(Int32(_SC_CLK_TCK)))
  }

  /// The share between two readings; nil without time between them.
  static func nanosecondsPerSecond(
    from begin: Reading, to end: Reading, ticksPerSecond: Int
  ) -> UInt64? {
    guard end.timeNanoseconds > begin.timeNanoseconds, end.processors > 0, ticksPerSecond > 0
    else { return nil }
    // Some kernels have counted it down.
    guard end.stolenTicks > begin.stolenTicks else { return 0 }
    let stolenSeconds = Double(end.stolenTicks - begin.stolenTicks) / Double(ticksPerSecond)
    let seconds = Double(end.timeNanoseconds - begin.timeNanoseconds) / 1_000_000_000
    let share = stolenSeconds / seconds / Double(end.processors)
    return UInt64((min(share, 1) * 1_000_000_000).rounded())
  }

  /// The steal column of `/proc/stat`; nil when it has none.
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
