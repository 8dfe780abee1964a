// SPDX-License-Identifier: MIT

internal import Glibc

/// Measures what this process takes from its making on. Any thread but the render thread.
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

  /// Begins.
  public init() { began = .now }

  /// What it took so far.
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

  /// Whether this process has locked memory, so that none of it can be swapped; nil when that cannot be told.
  public static var locksMemory: Bool? {
    SystemText.read("/proc/self/status").map { bytes("VmLck:", in: $0) > 0 }
  }

  /// A size of `/proc/PID/status`, which is given in KiB; 0 when it is not there.
  static func bytes(_ name: String, in status: String) -> UInt64 {
    for line in status.split(separator: "\n") where line.hasPrefix(name) {
      let number = line.dropFirst(name.count).split(whereSeparator: \.isWhitespace).first
      return number.flatMap { UInt64($0) }.map { $0 &* 1024 } ?? 0
    }
    return 0
  }
}
