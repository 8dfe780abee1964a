// SPDX-License-Identifier: MIT

import RenderCore

/// Records of cycles as a server and a client make them: 64 frames at 48 kHz, begun in time, entered a frame
/// later, and done in a twentieth of the period. What is set otherwise holds for the next record.
struct CycleSequence {
  static let sampleRate = 48000.0
  static let frameCount = 64
  static let periodNanoseconds = UInt64(Double(frameCount) * 1_000_000_000 / sampleRate)

  /// When the next cycle should begin.
  private var nominal = 1_000_000_000.0
  private var index: UInt64 = 0
  private var frameTime: UInt32 = 0
  private var xruns: UInt32 = 0
  /// How much faster the server's clock is than the machine's.
  var skew = 0.0

  /// The next record.
  ///
  /// - Parameters:
  ///   - lateNanoseconds: how long after its time the server begins the cycle.
  ///   - keepsTime: whether the ones after it come when they would have without that; else so much later.
  ///   - missedCycles: cycles that the server went on without the client.
  ///   - newXRuns: xruns that it has told of meanwhile.
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
