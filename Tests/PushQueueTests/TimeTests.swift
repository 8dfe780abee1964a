// SPDX-License-Identifier: MIT

import AudioModel
import RenderCore
import Testing

@testable import PushQueue

@Suite("4.5 AudioQueue time")
struct AudioQueueTimeTests {
  @Test("Time is 'stop' before the first start and after a stop, and 0 at each start")
  func stopped() throws {
    let player = try SteppedQueue()
    for _ in 0..<3 {
      #expect(code { () throws(AudioQueueError) in _ = try player.queue.currentTime() } == .stopped)
      try player.queue.start()
      #expect(try player.queue.currentTime().sampleTime == 0)
      player.crank(1000)
      #expect(try player.queue.currentTime().sampleTime == 1000)
      try player.queue.stop(immediately: true)
      player.crank(100)
    }
  }

  @Test("Starvation counts, a pause does not, and the host time is the output's")
  func counts() throws {
    let player = try SteppedQueue()
    try player.enqueueRamp(0..<1000)
    try player.queue.start()
    player.crank(4800, period: 480)
    let time = try player.queue.currentTime()
    #expect(time.sampleTime == 4800 && time.hostNanoseconds == 100_000_000)
    try player.queue.pause()
    player.crank(4800, period: 480)
    // No sound was playing, so there was nothing to fade.
    #expect(try player.queue.currentTime().sampleTime == 4800)
    try player.queue.start()
    player.crank(480, period: 480)
    #expect(try player.queue.currentTime().sampleTime == 5280)
  }

  @Test(
    "Time is in the source's frames whatever the output's rate",
    arguments: [22_050, 44_100, 96_000])
  func sourceRate(_ rate: Double) throws {
    let format = AudioStreamBasicDescription.linearPCM(
      sampleRate: rate, channels: 2, bitsPerChannel: 32, flags: [.float, .packed])
    let player = try SteppedQueue(format)
    try player.enqueueRamp(0..<2000)
    try player.queue.start()
    player.crank(48_000, period: 480)
    #expect(abs(try player.queue.currentTime().sampleTime - rate) < 0.001)
  }

  @Test("Before a start at a device time it is below 0 and rises to 0")
  func negative() throws {
    let player = try SteppedQueue()
    player.crank(512)
    try player.queue.start(atDeviceTime: 2048)
    #expect(try player.queue.currentTime().sampleTime == -1536)
    player.crank(512)
    #expect(try player.queue.currentTime().sampleTime == -1024)
    #expect(player.runningNotices == 0)
    player.crank(1024)
    #expect(try player.queue.currentTime().sampleTime == 0)
    player.crank(512)
    #expect(try player.queue.currentTime().sampleTime == 512)
    #expect(player.runningNotices == 1)
  }

  @Test(
    "A late enqueue is one discontinuity on each time line, reported once, and one underrun")
  func discontinuity() throws {
    let player = try SteppedQueue()
    let (one, other) = (player.queue.makeTimeline(), player.queue.makeTimeline())
    try player.enqueueRamp(0..<1000)
    try player.queue.start()
    player.crank(900, period: 100)
    #expect(try !player.queue.currentTime(on: one).isDiscontinuous)
    player.crank(1000, period: 100)
    try player.enqueueRamp(1000..<2000)
    player.crank(900, period: 100)
    #expect(player.queue.underrunCount == 1)
    // A reading without a time line consumes no discontinuity.
    #expect(try player.queue.currentTime().sampleTime == 2800)
    #expect(try player.queue.currentTime(on: one).isDiscontinuous)
    #expect(try !player.queue.currentTime(on: one).isDiscontinuous)
    #expect(try player.queue.currentTime(on: other).isDiscontinuous)
    #expect(try !player.queue.currentTime(on: player.queue.makeTimeline()).isDiscontinuous)
    let gap = player.heardRamp.indices.filter { player.heardRamp[$0] < 0 }
    #expect(gap == Array(1000..<1900) && player.heardRamp[1900] == 1000)
  }

  @Test("Another rate of the output is a discontinuity; another queue's time line is refused")
  func rateChange() throws {
    let player = try SteppedQueue()
    let timeline = player.queue.makeTimeline()
    try player.enqueueRamp(0..<480_000)
    try player.queue.start()
    player.crank(1000)
    player.renderer.sampleRate = 44_100
    player.crank(2000)
    #expect(try player.queue.currentTime(on: timeline).isDiscontinuous)
    #expect(player.queue.underrunCount == 0 && player.queue.deviceSampleRate == 44_100)
    let other = try SteppedQueue()
    try other.queue.start()
    #expect(
      code { () throws(AudioQueueError) in _ = try other.queue.currentTime(on: timeline) }
        == .parameterError)
  }

  @Test("Silence of a scheduled gap is neither an underrun nor a discontinuity")
  func scheduledGap() throws {
    let player = try SteppedQueue()
    let timeline = player.queue.makeTimeline()
    try player.enqueueRamp(0..<1000)
    try player.enqueueRamp(1000..<2000, startFrame: 5000)
    try player.queue.start()
    player.crank(5500)
    #expect(try !player.queue.currentTime(on: timeline).isDiscontinuous)
    #expect(player.queue.underrunCount == 0)
  }

  @Test("The device's time counts from its first cycle, and converts to its clock and back")
  func deviceTime() throws {
    let player = try SteppedQueue()
    #expect(player.queue.deviceCurrentTime() == AudioQueueTime(sampleTime: 0, hostNanoseconds: 0))
    player.crank(480, period: 480)
    player.crank(480, period: 480)
    let now = player.queue.deviceCurrentTime()
    #expect(now == AudioQueueTime(sampleTime: 960, hostNanoseconds: 20_000_000))
    #expect(player.queue.deviceTime(atFrame: 48_960).hostNanoseconds == 1_020_000_000)
    #expect(player.queue.deviceTime(atFrame: 0).hostNanoseconds == 0)
    #expect(player.queue.nearestStartTime(to: 0) == 1440)
    #expect(player.queue.nearestStartTime(to: 9000) == 9000)
    // The queue's time differs from the device's.
    try player.queue.start()
    player.crank(480, period: 480)
    #expect(try player.queue.currentTime().sampleTime == 480)
    #expect(player.queue.deviceCurrentTime().sampleTime == 1440)
  }

  @Test(
    "With a play rate the time follows the sound", .enabled(if: canStretch),
    arguments: [0.5, 1.5, 2] as [Float])
  func playRate(_ rate: Float) throws {
    let player = try SteppedQueue()
    try player.queue.setTimePitchEnabled(true)
    try player.queue.set(.playRate, to: rate)
    try player.enqueueRamp(0..<480_000)
    try player.queue.start()
    player.crank(96_000)
    let time = try player.queue.currentTime().sampleTime
    #expect(abs(time - Double(rate) * 96_000) < 2)
  }

  @Test(
    "After a reset the time runs at the sound's rate: primed, or running at a rate not played yet",
    .enabled(if: canStretch), arguments: [false, true])
  func playRateAfterReset(_ isRunning: Bool) throws {
    let player = try SteppedQueue()
    try player.queue.setTimePitchEnabled(true)
    if isRunning {
      try player.enqueueRamp(0..<480_000)
      try player.queue.start()
      player.crank(24_000)
    }
    try player.queue.set(.playRate, to: 2)
    if isRunning {
      // The new rate is in the ring, and the output has not reached it.
      player.crank(2048)
    } else {
      try player.enqueueRamp(0..<96_000)
      try player.queue.prime()
    }
    try player.queue.reset()
    try player.enqueueRamp(0..<480_000)
    if !isRunning { try player.queue.start() }
    // The old sound has faded out, and the new sound has begun.
    player.crank(1024)
    let before = try player.queue.currentTime().sampleTime
    player.crank(48_000)
    #expect(abs(try player.queue.currentTime().sampleTime - before - 96_000) < 2)
  }
}

@Suite("4.6 AudioQueue is-running")
struct AudioQueueRunningTests {
  @Test("It is reported at the real start, not at the call, and at the real end")
  func sequence() throws {
    let player = try SteppedQueue()
    try player.enqueueRamp(0..<3000)
    try player.queue.start()
    player.settle()
    #expect(!player.queue.isRunning && player.runningNotices == 0)
    player.crank(512)
    #expect(player.log.calls.contains(.isRunning(true)))
    try player.queue.stop(immediately: false)
    player.crank(2000)
    #expect(player.queue.isRunning && player.runningNotices == 1)
    player.crank(1000)
    #expect(player.log.calls.last == .isRunning(false) && player.runningNotices == 2)
  }

  @Test("After an immediate stop it is reported before the call returns, after the buffers")
  func stopNow() throws {
    let player = try SteppedQueue()
    try player.enqueueRamp(0..<100_000)
    try player.queue.start()
    player.crank(512)
    try player.queue.stop(immediately: true)
    #expect(player.log.calls.last == .isRunning(false) && player.runningNotices == 2)
    try player.queue.stop(immediately: true)
    try player.queue.stop(immediately: false)
    #expect(player.runningNotices == 2)
  }

  @Test("A stream shorter than a cycle is reported twice, and the value ends at not running")
  func short() throws {
    let player = try SteppedQueue()
    try player.enqueueRamp(0..<10)
    try player.queue.start()
    try player.queue.stop(immediately: false)
    player.crank(512)
    #expect(player.runningNotices == 2 && !player.queue.isRunning)
    #expect(player.log.calls.last == .isRunning(false))
  }

  @Test("A queue that never had a cycle was never running")
  func never() throws {
    let player = try SteppedQueue()
    try player.queue.start()
    player.settle()
    try player.queue.stop(immediately: true)
    #expect(player.runningNotices == 0)
  }

  @Test("A removed listener is not called; several are, in their order")
  func listeners() throws {
    let player = try SteppedQueue()
    let calls = POSIXMutex([Int]())
    let listeners = (0..<3).map { index in
      player.queue.addPropertyListener(.isRunning) { _, property in
        #expect(property == .isRunning)
        calls.withLock { $0.append(index) }
      }
    }
    player.queue.removePropertyListener(listeners[1])
    try player.queue.start()
    player.crank(512)
    #expect(calls.withLock { $0 } == [0, 2])
  }
}
