// SPDX-License-Identifier: MIT

internal import CRealtimeScope

/// Turns the render path's ticks into nanoseconds, by how far both clocks have come since it was
/// made: the render thread only counts, whoever asks pays for the conversion.
struct TickScale {
  private let startTicks: UInt64
  private let startNanoseconds: UInt64

  /// Fixes which clock ticks, for the whole process.
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

  /// How long so many ticks are.
  func nanoseconds(_ ticks: UInt64) -> UInt64 {
    UInt64((Double(ticks) * nanosecondsPerTick).rounded())
  }

  /// The time of `CLOCK_MONOTONIC_RAW` when the count was this.
  func time(atTicks ticks: UInt64) -> UInt64 {
    ticks >= startTicks
      ? startNanoseconds &+ nanoseconds(ticks &- startTicks)
      : startNanoseconds &- nanoseconds(startTicks &- ticks)
  }
}
