// SPDX-License-Identifier: MIT

import Glibc

/// What the host of a virtual machine has given to others while the machine wanted to run.
public enum StolenTime {
  /// Milliseconds since the machine started, of all processors; 0 where the kernel does not tell.
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

  /// Does what is heard in real time, up to fifteen times as long as it is not as expected and the host took
  /// more than 10 ms meanwhile: a server of another's has no cycle then, and nothing in it is ours.
  ///
  /// - Returns: the last result, which has to be as expected all the same.
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
