// SPDX-License-Identifier: MIT

import AudioModel
import OfflineOutput
import RenderCore
import Testing

@testable import PushQueue

@Suite("4.3 AudioQueue functions: prime, start, pause, stop, flush, reset, dispose")
struct AudioQueueTransportTests {
  @Test("Priming decodes ahead, returns used buffers, and with no buffer enqueued is 0")
  func prime() throws {
    let player = try SteppedQueue()
    #expect(try player.queue.prime() == 0)
    try player.queue.reset()
    try player.enqueueRamp(0..<500)
    try player.enqueueRamp(500..<30_000)
    #expect(player.returned.isEmpty)
    let prepared = try player.queue.prime(frameCount: 600)
    #expect((600..<4000).contains(prepared))
    #expect(player.returned.count == 1)
    #expect(try player.queue.prime(frameCount: 20_000) == prepared, "it was primed already")
    try player.queue.start()
    player.crank(1000)
    #expect(player.heardRamp == Array(0..<1000))
    let now = try player.queue.prime(frameCount: 60_000)
    #expect(now <= 30_000, "a running queue is not primed")
  }

  @Test("Priming all decodes all enqueued packets, up to the decode buffer's size")
  func primeAll() throws {
    let player = try SteppedQueue()
    for index in 0..<4 { try player.enqueueRamp(index * 20_000..<(index + 1) * 20_000) }
    player.queue.decodeBufferSizeFrames = 30_000
    #expect((30_000..<31_100).contains(try player.queue.prime()))
    #expect(player.returned.count == 1)
    try player.queue.stop(immediately: true)
    player.queue.decodeBufferSizeFrames = 96_000
    for index in 0..<4 { try player.enqueueRamp(index * 20_000..<(index + 1) * 20_000) }
    #expect(try player.queue.prime() == 80_000)
  }

  @Test("Primed, a queue with threads of its own can be pulled by hand, frame by frame")
  func pulledByHand() throws {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 2)
    let queue = try AudioQueue(playing: SteppedQueue.stereo, into: renderer) { _, _ in }
    let buffer = try queue.allocateBuffer(byteCapacity: 24_000 * 8)
    SteppedQueue.fill(buffer, ramp: 0..<24_000)
    try queue.enqueue(buffer)
    #expect(try queue.prime() == 24_000)
    try queue.start()
    var output = OfflineOutput(renderer: renderer)
    var (heard, cycle): ([Float], [Float]) = ([], [])
    for frameCount in [1, 479, 520, 8000, 7000, 8000] {
      output.render(frameCount: frameCount, interleavedInto: &cycle)
      heard += cycle
    }
    let expected = (0..<24_000).flatMap { [SteppedQueue.ramp($0), -SteppedQueue.ramp($0)] }
    let isEqual = heard == expected
    #expect(isEqual)
  }

  @Test("Starting a running queue changes nothing; a queue without buffers also runs")
  func start() throws {
    let player = try SteppedQueue()
    try player.queue.start()
    player.crank(1000)
    try player.queue.start()
    #expect(player.queue.isRunning)
    #expect(try player.queue.currentTime().sampleTime == 1000)
    try player.enqueueRamp(0..<100)
    player.crank(100)
    #expect(player.heardRamp.suffix(100) == Array(0..<100)[...])
    #expect(player.queue.underrunCount == 0, "it had not begun")
  }

  @Test("A start at a device time is exact to the frame", arguments: [1, 100, 512])
  func startAtDeviceTime(_ period: Int) throws {
    let player = try SteppedQueue()
    player.crank(700, period: period)
    try player.enqueueRamp(0..<1000)
    try player.queue.start(atDeviceTime: 1234)
    player.crank(1000, period: period)
    #expect(Array(player.heardRamp[..<1234]).allSatisfy { $0 == -1 })
    #expect(Array(player.heardRamp[1234...]) == Array(0..<466))
  }

  @Test("A paused queue continues with the very next frame, and keeps its buffers and its time")
  func pause() throws {
    let player = try SteppedQueue()
    let buffer = try player.enqueueRamp(0..<200_000)
    try player.queue.start()
    player.crank(1000)
    try player.queue.pause()
    player.crank(1000)
    let time = try player.queue.currentTime().sampleTime
    player.crank(5000)
    #expect(try player.queue.currentTime().sampleTime == time)
    #expect(player.queue.isRunning && player.runningNotices == 1)
    #expect(!player.returned.contains(ObjectIdentifier(buffer)))
    try player.queue.start()
    player.crank(2000)
    // Behind the fades each frame is unchanged, and none is missing.
    let played = Int(try player.queue.currentTime().sampleTime)
    #expect(player.heardRamp.last == played - 1)
    #expect(played == Int(time) + 2000)
  }

  @Test("Stopping at once returns every buffer in order during the call, and begins at 0 again")
  func stopNow() throws {
    let player = try SteppedQueue()
    let buffers = try (0..<5).map { try player.enqueueRamp($0 * 48_000..<($0 + 1) * 48_000) }
    try player.queue.start()
    player.crank(2000)
    #expect(player.returned.count < 5)
    try player.queue.stop(immediately: true)
    #expect(player.returned == buffers.map { ObjectIdentifier($0) })
    #expect(!player.queue.isRunning)
    #expect(code { () throws(AudioQueueError) in _ = try player.queue.currentTime() } == .stopped)
    let silent = player.heardRamp.count
    player.crank(500)
    #expect(player.heardRamp[silent...].allSatisfy { $0 == -1 })
    try player.enqueueRamp(500_000..<501_000)
    try player.queue.start()
    #expect(try player.queue.currentTime().sampleTime == 0)
    player.crank(100)
    #expect(player.heardRamp.suffix(100) == Array(500_000..<500_100)[...])
    #expect(try player.queue.currentTime().sampleTime == 100)
  }

  @Test("A start right after a stop, with no cycle between, begins at 0 and with the new sound")
  func stopAndStart() throws {
    let player = try SteppedQueue()
    try player.enqueueRamp(0..<48_000)
    try player.queue.start()
    player.crank(512)
    try player.queue.stop(immediately: true)
    try player.enqueueRamp(100_000..<148_000)
    try player.queue.start()
    player.crank(512)
    #expect(try player.queue.currentTime().sampleTime == 272, "240 frames fade the old sound out")
    player.crank(512)
    #expect(player.heardRamp.suffix(784) == Array(100_000..<100_784)[...])
    #expect(try player.queue.currentTime().sampleTime == 784)
  }

  @Test(
    "Stopping when drained plays all sound, also buffers enqueued meanwhile, then the queue stops")
  func stopWhenDrained() throws {
    let player = try SteppedQueue()
    player.queue.decodeBufferSizeFrames = 2000
    try player.enqueueRamp(0..<5000)
    try player.queue.start()
    player.crank(1000)
    try player.queue.stop(immediately: false)
    #expect(player.queue.isRunning)
    try player.enqueueRamp(5000..<6000)
    player.crank(4950)
    #expect(player.queue.isRunning)
    // The end is in the ring, so it is too late for more buffers.
    let late = try player.rampBuffer(0..<10)
    #expect(
      code { () throws(AudioQueueError) in try player.queue.enqueue(late) } == .enqueueDuringReset)
    player.crank(1000)
    #expect(player.heardRamp[..<6000] == Array(0..<6000)[...])
    #expect(player.heardRamp[6000...].allSatisfy { $0 == -1 })
    #expect(!player.queue.isRunning && player.returned.count == 2)
    #expect(player.queue.underrunCount == 0)
    try player.queue.enqueue(late)
  }

  @Test("A start cancels a stop that has not completed")
  func callOff() throws {
    let player = try SteppedQueue()
    try player.enqueueRamp(0..<1000)
    try player.queue.start()
    player.crank(500)
    try player.queue.stop(immediately: false)
    player.settle()
    try player.queue.start()
    player.crank(1000)
    #expect(player.queue.isRunning)
    try player.enqueueRamp(1000..<2000)
    player.crank(1000)
    #expect(player.queue.isRunning && player.heardRamp.filter { $0 >= 0 } == Array(0..<2000))
  }

  @Test(
    "A stop survives a pause: in either order, the queue stops once all sound has played",
    arguments: [false, true])
  func stopAcrossPause(_ isPausedFirst: Bool) throws {
    let player = try SteppedQueue()
    try player.enqueueRamp(0..<5000)
    try player.queue.start()
    player.crank(1024)
    if isPausedFirst { try player.queue.pause() }
    try player.queue.stop(immediately: false)
    if !isPausedFirst { try player.queue.pause() }
    player.crank(10_000)
    #expect(player.queue.isRunning)
    try player.queue.start()
    player.crank(10_000)
    #expect(player.heardRamp.contains(4999))
    #expect(!player.queue.isRunning && player.log.calls.last == .isRunning(false))
    #expect(player.returned.count == 1 && player.queue.underrunCount == 0)
  }

  @Test("A second start, of a queue that continues after a pause, cancels its stop")
  func callOffAfterPause() throws {
    let player = try SteppedQueue()
    try player.enqueueRamp(0..<5000)
    try player.queue.start()
    player.crank(1024)
    try player.queue.stop(immediately: false)
    try player.queue.pause()
    for _ in 0..<2 { try player.queue.start() }
    player.crank(10_000)
    #expect(player.queue.isRunning)
  }

  @Test("A queue that was never started stops at once and returns its buffers")
  func neverStarted() throws {
    let player = try SteppedQueue()
    try player.enqueueRamp(0..<1000)
    try player.queue.stop(immediately: false)
    #expect(player.returned.count == 1 && player.runningNotices == 0)
  }

  @Test("A flush plays the resampler's tail, causes no underrun, and drops and stops nothing")
  func flush() throws {
    let format = AudioStreamBasicDescription.linearPCM(
      sampleRate: 44100, channels: 2, bitsPerChannel: 32, flags: [.float, .packed])
    for flushes in [false, true] {
      let player = try SteppedQueue(format)
      try player.enqueueRamp(400_000..<444_100)
      if flushes { try player.queue.flush() }
      try player.queue.start()
      player.crank(60_000)
      let sounding = player.channel(0).count { $0 > 0.02 }
      #expect(flushes ? abs(sounding - 48_000) <= 2 : sounding < 47_990)
      #expect(player.queue.underrunCount == (flushes ? 0 : 1))
      #expect(player.queue.isRunning)
      try player.enqueueRamp(400_000..<444_100)
      player.crank(10_000)
      #expect(player.channel(0).suffix(5000).allSatisfy { $0 > 0.02 })
    }
  }

  @Test("A flush between two buffers of one rate is no gap")
  func flushWithoutGap() throws {
    let player = try SteppedQueue()
    try player.enqueueRamp(0..<1000)
    try player.queue.flush()
    try player.queue.flush()
    try player.enqueueRamp(1000..<2000)
    try player.queue.start()
    player.crank(2000, period: 300)
    #expect(player.heardRamp == Array(0..<2000))
  }

  @Test("A reset returns every buffer, and the queue continues to run in its time")
  func reset() throws {
    let player = try SteppedQueue()
    let buffers = try (0..<3).map { try player.enqueueRamp($0 * 48_000..<($0 + 1) * 48_000) }
    try player.queue.start()
    player.crank(1000)
    try player.queue.reset()
    #expect(player.returned == buffers.map { ObjectIdentifier($0) })
    try player.enqueueRamp(200_000..<201_000)
    player.crank(2000, period: 100)
    #expect(player.queue.isRunning && player.runningNotices == 1)
    #expect(try player.queue.currentTime().sampleTime == 3000)
    let new = player.heardRamp.filter { $0 >= 200_000 }
    #expect(new == Array(200_000..<201_000))
    #expect(player.heardRamp[1300...].allSatisfy { $0 < 0 || $0 >= 200_000 }, "5 ms of fade")
  }

  @Test("Disposed of at once, it returns all buffers, and every later call is refused")
  func dispose() throws {
    let player = try SteppedQueue()
    let queue = player.queue
    let buffer = try player.rampBuffer(0..<10)
    try player.enqueueRamp(0..<48_000)
    try queue.start()
    player.crank(500)
    try queue.dispose(immediately: true)
    #expect(player.returned.count == 1 && player.log.calls.last == .isRunning(false))
    let calls = player.log.calls
    player.crank(500)
    #expect(player.heardRamp.suffix(260).allSatisfy { $0 == -1 }, "240 frames fade out")
    expectRefused { () throws(AudioQueueError) in try queue.start() }
    expectRefused { () throws(AudioQueueError) in try queue.pause() }
    expectRefused { () throws(AudioQueueError) in try queue.stop(immediately: true) }
    expectRefused { () throws(AudioQueueError) in try queue.stop(immediately: false) }
    expectRefused { () throws(AudioQueueError) in try queue.flush() }
    expectRefused { () throws(AudioQueueError) in try queue.reset() }
    expectRefused { () throws(AudioQueueError) in _ = try queue.prime() }
    expectRefused { () throws(AudioQueueError) in try queue.enqueue(buffer) }
    expectRefused { () throws(AudioQueueError) in try queue.free(buffer) }
    expectRefused { () throws(AudioQueueError) in _ = try queue.allocateBuffer(byteCapacity: 1) }
    expectRefused { () throws(AudioQueueError) in try queue.set(.volume, to: 1) }
    expectRefused { () throws(AudioQueueError) in _ = try queue.currentTime() }
    expectRefused { () throws(AudioQueueError) in try queue.setMagicCookie([]) }
    expectRefused { () throws(AudioQueueError) in try queue.setChannelLayout(nil) }
    expectRefused { () throws(AudioQueueError) in try queue.setTimePitchEnabled(true) }
    expectRefused { () throws(AudioQueueError) in try queue.dispose(immediately: true) }
    expectRefused { () throws(AudioQueueError) in try queue.dispose(immediately: false) }
    #expect(player.log.calls == calls)
  }

  private func expectRefused(_ body: () throws(AudioQueueError) -> Void) {
    #expect(code(body) == .disposalPending)
  }

  @Test(
    "Disposed of when drained, it plays to its end with all callbacks, and refuses calls at once"
  )
  func disposeWhenDrained() throws {
    let player = try SteppedQueue()
    for index in 0..<3 { try player.enqueueRamp(index * 1000..<(index + 1) * 1000) }
    try player.queue.start()
    player.crank(1000)
    try player.queue.dispose(immediately: false)
    #expect(code { () throws(AudioQueueError) in try player.queue.start() } == .disposalPending)
    player.crank(3000)
    #expect(player.heardRamp[..<3000] == Array(0..<3000)[...])
    #expect(player.returned.count == 3 && player.log.calls.last == .isRunning(false))
  }

  @Test("Disposed of in a pause, where it would never drain, it ends at once")
  func disposeInPause() throws {
    let player = try SteppedQueue()
    let buffers = try (0..<3).map { try player.enqueueRamp($0 * 48_000..<($0 + 1) * 48_000) }
    try player.queue.start()
    player.crank(1000)
    try player.queue.pause()
    player.crank(1000)
    try player.queue.dispose(immediately: false)
    #expect(player.returned == buffers.map { ObjectIdentifier($0) })
    #expect(player.log.calls.last == .isRunning(false))
    #expect(
      code { () throws(AudioQueueError) in try player.queue.dispose(immediately: true) }
        == .disposalPending)
  }

  @Test("Disposed of when drained, it can be disposed of at once before that")
  func disposeAfterAll() throws {
    let player = try SteppedQueue()
    let queue = player.queue
    for index in 0..<3 { try player.enqueueRamp(index * 48_000..<(index + 1) * 48_000) }
    try queue.start()
    player.crank(1000)
    try queue.dispose(immediately: false)
    player.crank(1000)
    expectRefused { () throws(AudioQueueError) in try queue.dispose(immediately: false) }
    try queue.dispose(immediately: true)
    #expect(player.returned.count == 3 && player.log.calls.last == .isRunning(false))
    let calls = player.log.calls
    player.crank(1000)
    #expect(player.heardRamp.suffix(700).allSatisfy { $0 == -1 } && player.log.calls == calls)
    expectRefused { () throws(AudioQueueError) in try queue.dispose(immediately: true) }
  }

  @Test("A queue that is released stops, makes no calls, and leaves its renderer")
  func letGo() throws {
    let renderer = try SteppedQueue().renderer
    let calls = POSIXMutex(0)
    weak var gone: AudioQueue?
    do {
      let queue = try AudioQueue(
        engine: QueueEngine(SteppedQueue.stereo, renderer: renderer), executor: { $0() },
        hasProducer: false
      ) { _, _ in calls.withLock { $0 += 1 } }
      let buffer = try queue.allocateBuffer(byteCapacity: 800)
      buffer.byteCount = 800
      try queue.enqueue(buffer)
      gone = queue
    }
    #expect(gone == nil && calls.withLock { $0 } == 0)
  }
}
