// SPDX-License-Identifier: MIT

/// Times for people: `m:ss`, `h:mm:ss`, or seconds with decimals.
enum TimeText {
  static func clock(nanoseconds: UInt64) -> String {
    let seconds = nanoseconds / 1_000_000_000
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
    let tail = twoDigits(seconds % 60)
    return hours > 0 ? "\(hours):\(twoDigits(minutes)):\(tail)" : "\(minutes):\(tail)"
  }

  static func seconds(nanoseconds: UInt64, decimals: Int) -> String {
    let scale: UInt64 = [1, 10, 100, 1000][min(3, decimals)]
    let unit = 1_000_000_000 / scale
    let units = nanoseconds / unit + (nanoseconds % unit >= unit / 2 ? 1 : 0)
    let fraction = String(units % scale)
    guard decimals > 0 else { return String(units) }
    let padding = String(repeating: "0", count: decimals - fraction.count)
    return "\(units / scale).\(padding)\(fraction)"
  }

  private static func twoDigits(_ value: UInt64) -> String { value < 10 ? "0\(value)" : "\(value)" }
}
