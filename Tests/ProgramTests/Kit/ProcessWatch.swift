// SPDX-License-Identifier: MIT

import Glibc
import TestKit

/// A running process's use of the machine, sampled repeatedly (proc(5)).
struct ProcessWatch {
  /// The process's use at one time.
  struct Sample: Hashable {
    /// Resident memory, in bytes (`VmRSS`).
    var residentBytes: Int
    var descriptors: Int
    var threads: Int
    /// The progress, in the test's own unit.
    var progress: UInt64
  }

  private(set) var samples: [Sample] = []

  /// Samples a process. Returns false when the process has ended.
  mutating func look(at pid: pid_t?, progress: UInt64) -> Bool {
    guard let pid, let resident = ProcessResources.residentBytes(of: pid) else { return false }
    let sample = Sample(
      residentBytes: resident, descriptors: Self.entryCount("/proc/\(pid)/fd"),
      threads: Self.entryCount("/proc/\(pid)/task"), progress: progress)
    guard sample.threads > 0 else { return false }
    samples.append(sample)
    return true
  }

  /// The samples from a progress on.
  func samples(from progress: UInt64) -> ArraySlice<Sample> {
    samples[(samples.firstIndex { $0.progress >= progress } ?? samples.endIndex)...]
  }

  /// The samples in one line.
  var summary: String {
    let sizes = samples.map { $0.residentBytes >> 10 }
    return "\(samples.count) looks; resident \(sizes.first ?? 0) to \(sizes.max() ?? 0) KiB,"
      + " \(sizes.last ?? 0) in the end; descriptors \(Set(samples.map(\.descriptors)).sorted()),"
      + " threads \(Set(samples.map(\.threads)).sorted())"
  }

  private static func entryCount(_ path: String) -> Int {
    guard let folder = unsafe opendir(path) else { return 0 }
    defer { unsafe closedir(folder) }
    var count = 0
    while let entry = unsafe readdir(folder) {
      if unsafe entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { count += 1 }
    }
    return count
  }
}
