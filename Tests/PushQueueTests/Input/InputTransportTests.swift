// SPDX-License-Identifier: MIT

import AudioModel
import Glibc
import OfflineOutput
import RenderCore
import TestKit
import Testing

@testable import PushQueue

@Suite("An input queue's transport")
struct InputTransportTests {
  private func code(_ body: () throws -> Void) -> AudioQueueError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? AudioQueueError)?.code
    }
  }

  @Test("stops at once with its recorded frames, and returns the empty buffers, too")
  func stopAtOnce() throws {
    let bench = try InputBench()
    for _ in 0..<3 { try bench.enqueue(frames: 100) }
    try bench.queue.start()
    // The last frames have arrived, but no step has been made.
    bench.bring(130, stepping: false)
    try bench.queue.stop(immediately: true)
    let calls = bench.takeCalls()
    #expect(calls.count == 5)
    #expect(calls.last == .isRunning(false))
    let records = calls.compactMap {
      if case .buffer(_, _, let record) = $0 { record } else { nil }
    }
    #expect(records.map(\.packetCount) == [100, 30, 0])
    #expect(records[2].startTime == nil)
    #expect(!bench.queue.isRunning)
    #expect(code { _ = try bench.queue.currentTime() } == .stopped)
    bench.bring(300)
    #expect(bench.takeCalls().isEmpty)
    // The next start begins at 0 again.
    try bench.enqueue(frames: 10)
    try bench.queue.start()
    bench.bring(10)
    #expect(bench.takeRecords().first?.startTime?.sampleTime == 0)
  }

  @Test("stops when all buffers are full, and reports the stop")
  func stopWhenFull() throws {
    let bench = try InputBench()
    for _ in 0..<2 { try bench.enqueue(frames: 100) }
    try bench.queue.start()
    bench.bring(50)
    try bench.queue.stop(immediately: false)
    #expect(bench.takeCalls() == [.isRunning(true)])
    bench.bring(140)
    #expect(bench.takeRecords().count == 1)
    #expect(bench.queue.isRunning)
    bench.bring(64)
    let calls = bench.takeCalls()
    #expect(calls.count == 2)
    #expect(calls.last == .isRunning(false))
    #expect(bench.queue.counters.loss == .none)
  }

  @Test("continues if it is started while it waits for the last buffers")
  func startWhileStopping() throws {
    let bench = try InputBench()
    try bench.enqueue(frames: 100)
    try bench.queue.start()
    bench.bring(50)
    try bench.queue.stop(immediately: false)
    try bench.queue.start()
    bench.bring(100)
    #expect(bench.queue.isRunning)
    #expect(bench.takeCalls().contains(.isRunning(false)) == false)
  }

  @Test(
    "starts at once at a frame below 0, which wraps", arguments: [0 &- 100, UInt64.max / 2 + 1])
  func startBelowZero(_ frame: UInt64) throws {
    let bench = try InputBench()
    try bench.enqueue(frames: 50)
    try bench.queue.start(atDeviceFrame: frame)
    bench.bring(50, cycle: 50)
    #expect(bench.takeRecords().map(\.packetCount) == [50])
    #expect(try bench.queue.currentTime() == 50)
  }

  @Test("stops at once in a pause, where no frame would arrive to fill a buffer")
  func stopInPause() throws {
    for disposes in [false, true] {
      let bench = try InputBench()
      for _ in 0..<2 { try bench.enqueue(frames: 100) }
      try bench.queue.start()
      bench.bring(40)
      try bench.queue.pause()
      bench.bring(64)
      _ = bench.takeCalls()
      if disposes {
        try bench.queue.dispose(immediately: false)
      } else {
        try bench.queue.stop(immediately: false)
      }
      let calls = bench.takeCalls()
      #expect(calls.count == 3 && calls.last == .isRunning(false))
      let counts = calls.compactMap {
        if case .buffer(_, _, let record) = $0 { record.packetCount } else { nil }
      }
      #expect(counts == [40, 0] && !bench.queue.isRunning)
    }
  }

  @Test("stops at a pause that comes while it waits for buffers to fill, and returns all of them")
  func pauseWhileStopping() throws {
    let bench = try InputBench()
    for _ in 0..<2 { try bench.enqueue(frames: 100) }
    try bench.queue.start()
    bench.bring(40)
    try bench.queue.stop(immediately: false)
    _ = bench.takeCalls()
    // These frames have arrived before the pause.
    bench.bring(24, stepping: false)
    try bench.queue.pause()
    let calls = bench.takeCalls()
    #expect(calls.count == 3 && calls.last == .isRunning(false))
    let counts = calls.compactMap {
      if case .buffer(_, _, let record) = $0 { record.packetCount } else { nil }
    }
    #expect(counts == [64, 0] && !bench.queue.isRunning)
    #expect(code { _ = try bench.queue.currentTime() } == .stopped)
  }

  @Test("stops at a reset that takes away the buffers for which it waits")
  func resetWhileStopping() throws {
    let bench = try InputBench()
    try bench.enqueue(frames: 100)
    try bench.queue.start()
    bench.bring(64)
    try bench.queue.stop(immediately: false)
    _ = bench.takeCalls()
    try bench.queue.reset()
    #expect(!bench.queue.isRunning)
    #expect(bench.takeCalls().last == .isRunning(false))
    bench.bring(640)
    #expect(bench.takeCalls().isEmpty && bench.queue.counters.underruns == 0)
  }

  @Test("stops its time in a pause, and continues the same buffer")
  func pause() throws {
    let bench = try InputBench()
    try bench.enqueue(frames: 100)
    try bench.queue.start()
    bench.bring(40)
    try bench.queue.pause()
    bench.bring(500)
    bench.skip(64)
    #expect(try bench.queue.currentTime() == 40)
    #expect(bench.queue.isRunning)
    bench.bring(30, stepping: false)
    try bench.queue.start()
    bench.bring(60)
    guard case .buffer(_, let bytes, let record)? = bench.takeCalls().last else {
      Issue.record("no buffer came back")
      return
    }
    #expect(
      InputBench.floats(bytes) == InputBench.stereo(0..<40) + InputBench.stereo(570..<630))
    #expect(record.startTime?.sampleTime == 0)
    #expect(try bench.queue.currentTime() == 100)
    #expect(bench.queue.counters.loss == .none)
  }

  @Test("returns all buffers in a reset, and continues to record")
  func reset() throws {
    let bench = try InputBench()
    for _ in 0..<2 { try bench.enqueue(frames: 100) }
    try bench.queue.start()
    bench.bring(64)
    try bench.queue.reset()
    #expect(bench.takeRecords().map(\.packetCount) == [64, 0])
    #expect(bench.queue.isRunning)
    try bench.enqueue(frames: 20)
    bench.bring(20)
    #expect(bench.takeRecords().first?.startTime?.sampleTime == 64)
  }

  @Test("refuses buffers while all of them are being returned")
  func enqueueWhileReturning() throws {
    let bench = try InputBench(reenqueues: true)
    for _ in 0..<2 { try bench.enqueue(frames: 100) }
    try bench.queue.start()
    bench.bring(64)
    try bench.queue.stop(immediately: true)
    #expect(bench.takeRecords().count == 2)
    try bench.queue.stop(immediately: true)
    #expect(bench.takeRecords().isEmpty)
  }

  @Test("refuses buffers while all are being returned, also if a non-immediate stop is called then")
  func stopWhileReturning() throws {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 0, inputChannels: 1)
    let codes = POSIXMutex<[AudioQueueError.Code?]>([])
    let queue = try AudioInputQueue(
      recording: InputBench.format(channels: 1), from: renderer, driving: .owner
    ) { queue, buffer, _ in
      try? queue.stop(immediately: false)
      do throws(AudioQueueError) {
        try queue.enqueue(buffer)
        codes.withLock { $0.append(nil) }
      } catch {
        codes.withLock { $0.append(error.code) }
      }
    }
    for _ in 0..<3 { try queue.enqueue(queue.allocateBuffer(byteCapacity: 4 * 100)) }
    try queue.start()
    try queue.stop(immediately: true)
    let refusals = [AudioQueueError.Code?](repeating: .enqueueDuringReset, count: 3)
    #expect(codes.withLock { $0 } == refusals)
  }

  @Test("keeps a full buffer, and its contents, until its callback")
  func fullBuffer() throws {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 0, inputChannels: 1)
    let work = POSIXMutex<[@Sendable () -> Void]>([])
    let returned = POSIXMutex<[UInt8]>([])
    let queue = try AudioInputQueue(
      recording: InputBench.format(channels: 1), from: renderer, driving: .owner,
      executor: { item in work.withLock { $0.append(item) } }
    ) { _, buffer, _ in
      returned.withLock { unsafe $0 = Array(buffer.bytes[..<buffer.byteCount]) }
    }
    let buffer = try queue.allocateBuffer(byteCapacity: 4 * 10)
    try queue.enqueue(buffer)
    try queue.start()
    var output = OfflineOutput(renderer: renderer)
    output.render(inputs: [(0..<10).map { InputBench.sample($0) }])
    queue.step()
    #expect(code { try queue.enqueue(buffer) } == .bufferInQueue)
    #expect(code { try queue.free(buffer) } == .bufferInQueue)
    for item in work.withLock({ $0 }) { item() }
    let floats = InputBench.floats(returned.withLock { $0 })
    #expect(floats == (0..<10).map { InputBench.sample($0) })
    try queue.enqueue(buffer)
  }

  @Test(
    "ends with the disposal: at once, or when the buffers are full", arguments: [true, false])
  func dispose(_ isImmediate: Bool) throws {
    let bench = try InputBench()
    let buffer = try bench.enqueue(frames: 100)
    try bench.queue.start()
    bench.bring(64)
    try bench.queue.dispose(immediately: isImmediate)
    #expect(code { try bench.queue.start() } == .disposalPending)
    #expect(code { try bench.queue.dispose(immediately: false) } == .disposalPending)
    #expect(code { _ = try bench.queue.allocateBuffer(byteCapacity: 8) } == .disposalPending)
    bench.bring(64)
    #expect(bench.takeRecords().map(\.packetCount) == [isImmediate ? 64 : 100])
    #expect(code { try bench.queue.enqueue(buffer) } == .disposalPending)
    try bench.queue.free(buffer)
    bench.bring(64)
    #expect(bench.takeCalls().isEmpty)
    #expect(code { try bench.queue.dispose(immediately: true) } == .disposalPending)
  }

  @Test("can be disposed of at once while it waits for its last buffers")
  func disposeAfterAll() throws {
    let bench = try InputBench()
    try bench.enqueue(frames: 100)
    try bench.queue.start()
    bench.bring(64)
    try bench.queue.dispose(immediately: false)
    try bench.queue.dispose(immediately: true)
    #expect(bench.takeRecords().map(\.packetCount) == [64])
    bench.bring(64)
    #expect(bench.takeCalls().isEmpty)
  }

  @Test("returns buffers that were enqueued without a start")
  func neverStarted() throws {
    let bench = try InputBench()
    try bench.enqueue(frames: 10)
    try bench.queue.dispose(immediately: false)
    #expect(bench.takeCalls().count == 1)
  }

  @Test("refuses buffers that it cannot fill")
  func refusedBuffers() throws {
    let bench = try InputBench()
    let other = try InputBench()
    let buffer = try bench.enqueue(frames: 10)
    #expect(code { try bench.queue.enqueue(buffer) } == .bufferInQueue)
    #expect(code { try bench.queue.free(buffer) } == .bufferInQueue)
    #expect(code { try other.queue.enqueue(buffer) } == .invalidBuffer)
    let small = try bench.queue.allocateBuffer(byteCapacity: 7)
    #expect(code { try bench.queue.enqueue(small) } == .bufferEmpty)
    try bench.queue.free(small)
    #expect(code { try bench.queue.free(small) } == .invalidBuffer)
    #expect(code { _ = try bench.queue.allocateBuffer(byteCapacity: -1) } == .parameterError)
  }

  @Test("can be stopped and disposed of from inside a callback")
  func stopFromCallback() throws {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 0, inputChannels: 1)
    let returned = POSIXMutex<[Int]>([])
    let hasEnded = OneTimeEvent()
    let queue = try AudioInputQueue(
      recording: InputBench.format(channels: 1), from: renderer
    ) { queue, _, record in
      let count = returned.withLock { returned in
        returned.append(record.packetCount)
        return returned.count
      }
      if count == 1 {
        try? queue.stop(immediately: true)
        try? queue.dispose(immediately: true)
        hasEnded.signal()
      }
    }
    for _ in 0..<3 { try queue.enqueue(queue.allocateBuffer(byteCapacity: 4 * 100)) }
    try queue.start()
    var output = OfflineOutput(renderer: renderer)
    output.render(inputs: [[Float](repeating: 1, count: 150)])
    #expect(hasEnded.wait(seconds: 5))
    #expect(returned.withLock { $0 } == [100, 50, 0])
    #expect(!queue.isRunning)
  }

  @Test("makes its calls on the caller's executor")
  func executor() throws {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 0, inputChannels: 1)
    let work = POSIXMutex<[@Sendable () -> Void]>([])
    let returned = POSIXMutex(0)
    let queue = try AudioInputQueue(
      recording: InputBench.format(channels: 1), from: renderer, driving: .owner,
      executor: { item in work.withLock { $0.append(item) } }
    ) { _, _, _ in
      returned.withLock { $0 += 1 }
    }
    var output = OfflineOutput(renderer: renderer)
    for _ in 0..<3 { try queue.enqueue(queue.allocateBuffer(byteCapacity: 4 * 10)) }
    try queue.start()
    queue.step()
    #expect(work.withLock { $0.count } == 0)
    output.render(inputs: [[Float](repeating: 1, count: 20)])
    queue.step()
    #expect(returned.withLock { $0 } == 0)
    for item in work.withLock({ $0 }) { item() }
    #expect(returned.withLock { $0 } == 2)
    // A caller that stops at once gets the remaining call at once.
    try queue.stop(immediately: true)
    #expect(returned.withLock { $0 } == 3)
  }

  @Test(
    "leaves the callbacks of a non-immediate end to its thread, and waits for none of them",
    arguments: 0..<3)
  func callbacksOnThread(_ action: Int) throws {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 0, inputChannels: 1)
    let threads = POSIXMutex<[pthread_t]>([])
    let (isInCallback, mayReturn) = (OneTimeEvent(), OneTimeEvent())
    let queue = try AudioInputQueue(
      recording: InputBench.format(channels: 1), from: renderer
    ) { _, _, _ in
      threads.withLock { $0.append(pthread_self()) }
      isInCallback.signal()
      mayReturn.wait(seconds: 60)
    }
    for _ in 0..<3 { try queue.enqueue(queue.allocateBuffer(byteCapacity: 4 * 100)) }
    try queue.start()
    var output = OfflineOutput(renderer: renderer)
    output.render(inputs: [[Float](repeating: 1, count: 100)])
    #expect(isInCallback.wait(seconds: 60))
    // The second buffer is full, and its callback due.
    output.render(inputs: [[Float](repeating: 1, count: 150)])
    let hasReturned = OneTimeEvent()
    let caller = JoinableThread {
      switch action {
      case 0: try? queue.pause()
      case 1: try? queue.stop(immediately: false)
      default: try? queue.dispose(immediately: false)
      }
      hasReturned.signal()
    }
    #expect(hasReturned.wait(seconds: 5), "the callback goes on all the while")
    mayReturn.signal()
    caller.join()
    try #require(eventually { threads.withLock { $0.count } == 2 })
    #expect(threads.withLock { pthread_equal($0[0], $0[1]) } != 0)
  }

  @Test("has a thread that records by itself")
  func thread() throws {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 0, inputChannels: 1)
    let recorded = POSIXMutex<[UInt8]>([])
    let queue = try AudioInputQueue(
      recording: InputBench.format(channels: 1), from: renderer, heldFrames: 1 << 16
    ) { queue, buffer, _ in
      recorded.withLock { unsafe $0.append(contentsOf: buffer.bytes[..<buffer.byteCount]) }
      try? queue.enqueue(buffer)
    }
    for _ in 0..<3 { try queue.enqueue(queue.allocateBuffer(byteCapacity: 4 * 480)) }
    try queue.start()
    var output = OfflineOutput(renderer: renderer)
    for cycle in 0..<400 {
      output.render(inputs: [(cycle * 64..<(cycle + 1) * 64).map { InputBench.sample($0) }])
    }
    #expect(eventually { recorded.withLock { $0.count } >= 4 * 480 * 53 })
    try queue.stop(immediately: true)
    let floats = InputBench.floats(recorded.withLock { $0 })
    let isExact = floats == (0..<25_600).map { InputBench.sample($0) }
    #expect(isExact)
    #expect(queue.counters.loss == .none)
  }
}
