// SPDX-License-Identifier: MIT

internal import ByteSources
internal import RenderCore

/// The wait of a stop for its fade. Nothing renders the fade while the output stands still, as without its server.
struct StopFade {
  private static let longestNanoseconds: UInt64 = 300_000_000

  private var cycleCount: UInt64?
  private var nanoseconds: UInt64 = 0

  /// Returns whether the fade is over, or no cycle has begun for 0.3 s and two periods.
  mutating func isOver(_ control: SourceControl, in renderer: Renderer) -> Bool {
    if control.isSilent { return true }
    let (cycles, now) = (renderer.telemetry.cycles, monotonicNanoseconds())
    if cycles != cycleCount {
      (cycleCount, nanoseconds) = (cycles, now)
      return false
    }
    let periods = 2 * Double(renderer.context.periodFrames) / renderer.sampleRate
    return now - nanoseconds >= max(Self.longestNanoseconds, UInt64(periods * 1e9))
  }
}
