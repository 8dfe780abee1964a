// SPDX-License-Identifier: MIT

import Testing

@testable import JACKRemoteIO

@Suite("The frame clock's continuity")
struct CycleContinuityTests {
  private func missed(_ cycles: [(time: UInt32, frames: UInt32)]) -> [UInt64] {
    var continuity = CycleContinuity()
    return cycles.map {
      continuity.advance(frameTime: $0.time, frameCount: $0.frames).missedCycles
    }
  }

  @Test("counts no missed cycle while cycles are consecutive, also when the clock wraps")
  func continuous() {
    #expect(missed([(5000, 64), (5064, 64), (5128, 64)]) == [0, 0, 0])
    #expect(missed([(.max - 63, 64), (0, 64), (64, 64)]) == [0, 0, 0])
  }

  @Test("counts the cycles that a jump spans, rounded up")
  func jumps() {
    #expect(missed([(0, 256), (1536, 256), (1792, 256)]) == [0, 5, 0])
    #expect(missed([(0, 256), (300, 256)]) == [0, 1])
  }

  @Test("ignores a change of size or a clock that goes back")
  func notJudged() {
    #expect(missed([(0, 256), (512, 512), (1024, 512)]) == [0, 0, 0])
    #expect(missed([(0, 512), (512, 64), (576, 64)]) == [0, 0, 0])
    #expect(missed([(100_000, 256), (0, 256), (256, 256)]) == [0, 0, 0])
    #expect(missed([(0, 0), (64, 0)]) == [0, 0])
  }
}

@Suite("The frame clock's gaps")
struct CycleGapTests {
  private func steps(_ cycles: [(time: UInt32, frames: UInt32)]) -> [CycleContinuity.Step] {
    var continuity = CycleContinuity()
    return cycles.map { continuity.advance(frameTime: $0.time, frameCount: $0.frames) }
  }

  @Test("are reported in frames")
  func frames() {
    let steps = steps([(0, 256), (1536, 256), (1792, 256), (2092, 256)])
    #expect(steps.map(\.missedFrames) == [0, 1280, 0, 44])
    #expect(steps.map(\.isMeasured) == [false, true, true, true])
  }

  @Test("are not measured when cycles change their size or the clock goes back")
  func unmeasured() {
    let steps = steps([(0, 256), (512, 512), (1024, 512), (512, 512), (512, 512)])
    #expect(steps.map(\.isMeasured) == [false, false, true, false, false])
    #expect(steps.allSatisfy { $0.missedFrames == 0 })
  }

  @Test("are none while the server freewheels, and not measured right after it")
  func freewheeling() {
    var continuity = CycleContinuity()
    _ = continuity.advance(frameTime: 0, frameCount: 256)
    #expect(continuity.advanceFreewheeling().isMeasured)
    #expect(!continuity.advance(frameTime: 99_000, frameCount: 256).isMeasured)
    #expect(continuity.advance(frameTime: 99_256, frameCount: 256).isMeasured)
  }
}

@Suite("The watchdog")
struct CycleWatchdogTests {
  @Test("allows half a second, or twenty periods if they are longer")
  func limits() {
    let short = CycleWatchdog(bufferSize: 256, sampleRate: 48000, isFreewheeling: false)
    #expect(short.limitNanoseconds == 500_000_000)
    #expect(!short.isStalled(afterSilenceOf: 500_000_000))
    #expect(short.isStalled(afterSilenceOf: 500_000_001))
    let long = CycleWatchdog(bufferSize: 8192, sampleRate: 8192, isFreewheeling: false)
    #expect(long.limitNanoseconds == 20_000_000_000)
  }

  @Test("allows any silence while the server is freewheeling")
  func freewheeling() {
    let watchdog = CycleWatchdog(bufferSize: 256, sampleRate: 48000, isFreewheeling: true)
    #expect(!watchdog.isStalled(afterSilenceOf: .max))
  }

  @Test("has a limit for any values")
  func extremes() {
    for rate in [0, -1, .nan, 1e-300, .infinity] {
      let watchdog = CycleWatchdog(bufferSize: .max, sampleRate: rate, isFreewheeling: false)
      #expect(watchdog.limitNanoseconds >= 500_000_000)
    }
  }
}

@Suite("The time between two cycles")
struct OutageMeterTests {
  /// The frames missed before each cycle of 480 frames at 48 kHz.
  private func missed(
    atMilliseconds times: [UInt64], toldByClock told: UInt32 = 0, freewheeling: Set<Int> = [],
    otherServerBefore other: Int? = nil
  ) -> [UInt32] {
    var meter = OutageMeter()
    return times.indices.map { index in
      if index == other { meter.changeServer() }
      return meter.missedFrames(
        toldByClock: told, microseconds: times[index] * 1000, frameCount: 480, sampleRate: 48000,
        isFreewheeling: freewheeling.contains(index))
    }
  }

  @Test("is the frame clock's while cycles are half a second apart or less")
  func jitter() {
    #expect(missed(atMilliseconds: [5, 15, 45, 46, 540]) == [0, 0, 0, 0, 0])
    #expect(missed(atMilliseconds: [5, 15, 45], toldByClock: 100) == [100, 100, 100])
  }

  @Test("includes a stop of the server, unless its clock has already reported more")
  func stopped() {
    #expect(missed(atMilliseconds: [5, 15, 2025, 2035]) == [0, 0, 96_000, 0])
    #expect(missed(atMilliseconds: [5, 2015], toldByClock: 200_000) == [200_000, 200_000])
    #expect(missed(atMilliseconds: [0, 100_000_000_000]) == [0, .max])
  }

  @Test("is measured between two servers, however short, and not before the first")
  func restarted() {
    #expect(missed(atMilliseconds: [5, 15, 125, 135], otherServerBefore: 2) == [0, 0, 4800, 0])
    #expect(missed(atMilliseconds: [5000, 5010], otherServerBefore: 0) == [0, 0])
    // A clock that goes back belongs to another computer.
    #expect(missed(atMilliseconds: [5000, 10, 20], otherServerBefore: 1) == [0, 0, 0])
  }

  @Test("is ignored while the server freewheels")
  func freewheeling() {
    let times: [UInt64] = [0, 10, 4000, 9000, 9010]
    #expect(missed(atMilliseconds: times, freewheeling: [2, 3]) == [0, 0, 0, 0, 0])
  }
}
