// SPDX-License-Identifier: MIT

import RenderCore

/// Synthetic cycle records of a server and a client: 64 frames at 48 kHz, begun in time, entered a frame
/// later, and finished in a twentieth of the period. The arguments of `next` apply to that record only.
struct CycleSequence {
  static let sampleRate = 48000.0
  static let frameCount = 64
  static let periodNanoseconds = UInt64(Double(frameCount) * 1_000_000_000 / sampleRate)

  /// The ideal start of the next cycle in nanoseconds.
  private var nominal = 1_000_000_000.0
  private var index: UInt64 = 0
  private var frameTime: UInt32 = 0
  private var xruns: UInt32 = 0
  /// The ratio by which the server's clock is faster than the machine's.
  var skew = 0.0

  /// Returns the next record.
  ///
  /// - Parameters:
  ///   - lateNanoseconds: the server's lateness at the start of the cycle.
  ///   - keepsTime: whether later cycles keep their times; else they are delayed, too.
  ///   - missedCycles: cycles that the server ran without the client.
  ///   - newXRuns: xruns that the server has reported meanwhile.
  mutating func next(
    lateNanoseconds: UInt64 = 0, keepsTime: Bool = true, wakeFrames: Int = 1,
    durationNanoseconds: UInt64 = periodNanoseconds / 20, missedCycles: Int = 0,
    newXRuns: UInt32 = 0
  ) -> CycleRecord {
    let nanosecondsPerFrame = 1_000_000_000 / Self.sampleRate / (1 + skew)
    let missedFrames = missedCycles * Self.frameCount
    nominal += Double(missedFrames) * nanosecondsPerFrame
    if !keepsTime { nominal += Double(lateNanoseconds) }
    let start = UInt64(nominal) + (keepsTime ? lateNanoseconds : 0)
    frameTime &+= UInt32(missedFrames)
    xruns &+= newXRuns
    var record = CycleRecord(
      index: index,
      entryNanoseconds: start + UInt64(Double(wakeFrames) * 1_000_000_000 / Self.sampleRate),
      durationNanoseconds: durationNanoseconds, frameTime: frameTime, frameCount: Self.frameCount)
    record.wakeFrames = wakeFrames
    record.missedFrames = missedFrames
    record.xruns = xruns
    index += 1
    frameTime &+= UInt32(Self.frameCount)
    nominal += Double(Self.frameCount) * nanosecondsPerFrame
    return record
  }
}
