// SPDX-License-Identifier: MIT

internal import CRealtimeScope

/// A conversion of the render path's ticks to nanoseconds, from the advance of both clocks since it was made. The
/// render thread only counts ticks; the reading thread converts them.
struct TickScale {
  private let startTicks: UInt64
  private let startNanoseconds: UInt64

  /// Selects the clock of the ticks, for the whole process.
  init() {
    drawbar_prepare_ticks()
    startTicks = drawbar_ticks()
    startNanoseconds = drawbar_monotonic_nanoseconds()
  }

  /// Nanoseconds in one tick. Within a hundredth after the first ten microseconds.
  var nanosecondsPerTick: Double {
    let ticks = drawbar_ticks() &- startTicks
    let nanoseconds = drawbar_monotonic_nanoseconds() &- startNanoseconds
    return ticks > 0 ? Double(nanoseconds) / Double(ticks) : 1
  }

  /// Returns the duration of `ticks` ticks.
  func nanoseconds(_ ticks: UInt64) -> UInt64 {
    UInt64((Double(ticks) * nanosecondsPerTick).rounded())
  }

  /// Returns the time of `CLOCK_MONOTONIC_RAW` at this tick count.
  func time(atTicks ticks: UInt64) -> UInt64 {
    ticks >= startTicks
      ? startNanoseconds &+ nanoseconds(ticks &- startTicks)
      : startNanoseconds &- nanoseconds(startTicks &- ticks)
  }
}
