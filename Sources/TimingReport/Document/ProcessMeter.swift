// SPDX-License-Identifier: MIT

internal import Glibc

/// A meter of this process's resource use since the meter's creation. Any thread but the render thread.
public struct ProcessMeter: Sendable {
  private let began: Reading

  private struct Reading {
    var wallNanoseconds: UInt64
    var cpuNanoseconds: UInt64
    var voluntarySwitches: UInt64
    var involuntarySwitches: UInt64

    static var now: Reading {
      var usage = rusage()
      unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
      return Reading(
        wallNanoseconds: nanoseconds(CLOCK_MONOTONIC_RAW),
        cpuNanoseconds: nanoseconds(CLOCK_PROCESS_CPUTIME_ID),
        voluntarySwitches: UInt64(max(0, usage.ru_nvcsw)),
        involuntarySwitches: UInt64(max(0, usage.ru_nivcsw)))
    }

    private static func nanoseconds(_ clock: clockid_t) -> UInt64 {
      var time = timespec()
      unsafe clock_gettime(clock, &time)
      return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
  }

  /// Starts the measurement.
  public init() { began = .now }

  /// The resource use so far.
  public var cost: ProcessCost {
    let now = Reading.now
    let memory = SystemText.read("/proc/self/status") ?? ""
    return ProcessCost(
      wallNanoseconds: now.wallNanoseconds - began.wallNanoseconds,
      cpuNanoseconds: now.cpuNanoseconds - began.cpuNanoseconds,
      voluntarySwitches: now.voluntarySwitches - began.voluntarySwitches,
      involuntarySwitches: now.involuntarySwitches - began.involuntarySwitches,
      residentBytes: Self.bytes("VmRSS:", in: memory),
      anonymousBytes: Self.bytes("RssAnon:", in: memory))
  }

  /// Whether this process has locked memory, so that none of it can be swapped; nil if that is unknown.
  public static var locksMemory: Bool? {
    SystemText.read("/proc/self/status").map { bytes("VmLck:", in: $0) > 0 }
  }

  /// Returns a size in `/proc/PID/status`, which is in KiB there, in bytes; 0 if it is missing.
  static func bytes(_ name: String, in status: String) -> UInt64 {
    for line in status.split(separator: "\n") where line.hasPrefix(name) {
      let number = line.dropFirst(name.count).split(whereSeparator: \.isWhitespace).first
      return number.flatMap { UInt64($0) }.map { $0 &* 1024 } ?? 0
    }
    return 0
  }
}
