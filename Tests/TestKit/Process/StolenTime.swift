// SPDX-License-Identifier: MIT

import Glibc

/// The processor time that a virtual machine's host took while the machine wanted to run.
public enum StolenTime {
  /// Milliseconds of all processors since the machine started; 0 if the kernel does not report them.
  public static var milliseconds: Int {
    guard let file = unsafe fopen("/proc/stat", "r") else { return 0 }
    defer { unsafe fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    guard unsafe fgets(&line, 256, file) != nil else { return 0 }
    let end = line.firstIndex(of: 0) ?? line.endIndex
    let columns = String(decoding: line[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self)
      .split(whereSeparator: \.isWhitespace)
    // cpu user nice system idle iowait irq softirq steal
    guard columns.count > 8, let ticks = Int(columns[8]) else { return 0 }
    return ticks * 1000 / max(1, sysconf(Int32(_SC_CLK_TCK)))
  }

  /// Repeats an attempt in real time, at most fifteen times, while its result is not as expected and the host took more
  /// than 10 ms meanwhile. A server misses cycles in that time, which is not Drawbar's fault.
  ///
  /// - Returns: the last result; the caller must still check it.
  public static func heard<Result>(
    _ attempt: () throws -> Result, isAsExpected: (Result) -> Bool
  ) rethrows -> Result {
    for _ in 1..<15 {
      let before = milliseconds
      let result = try attempt()
      if isAsExpected(result) || milliseconds - before <= 10 { return result }
    }
    return try attempt()
  }
}
