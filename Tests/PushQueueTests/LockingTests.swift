// SPDX-License-Identifier: MIT

import AudioModel
import OfflineOutput
import RenderCore
import TestKit
import Testing

@testable import PushQueue

@Suite("4.8 AudioQueue calls from inside its callbacks, and threads")
struct AudioQueueLockingTests {
  @Test("Every function may be called from inside the callback, and from a listener")
  func fromCallback() throws {
    let player = try SteppedQueue()
    var calls = 0
    let everything: (AudioQueue) -> Void = { queue in
      calls += 1
      #expect(
        code { () throws(AudioQueueError) in
          let buffer = try queue.allocateBuffer(byteCapacity: 80)
          buffer.byteCount = 80
          try queue.enqueue(buffer)
          try queue.pause()
          try queue.start()
          try queue.prime()
          try queue.flush()
          try queue.set(.volume, to: 0.5)
          _ = queue.value(of: .volume)
          _ = try queue.currentTime()
          _ = queue.isRunning
          _ = queue.currentLevels()
        } == nil)
    }
    player.log.onReturn = { queue, _ in if calls < 20 { everything(queue) } }
    player.log.onRunning = { queue in if queue.isRunning { everything(queue) } }
    try player.enqueueRamp(0..<10)
    try player.queue.start()
    player.crank(10_000)
    #expect(calls >= 20)
  }

  @Test(
    "Stopped, reset or disposed of inside a callback, it returns the rest and does not deadlock"
  )
  func stopFromCallback() throws {
    for action in 0..<3 {
      let player = try SteppedQueue()
      var depth = 0
      var refused: [AudioQueueError.Code?] = []
      player.log.onReturn = { queue, buffer in
        depth += 1
        defer { depth -= 1 }
        if depth > 1 {
          refused.append(code { () throws(AudioQueueError) in try queue.enqueue(buffer) })
          return
        }
        #expect(
          code { () throws(AudioQueueError) in
            switch action {
            case 0: try queue.stop(immediately: true)
            case 1: try queue.reset()
            default: try queue.dispose(immediately: true)
            }
          } == nil)
      }
      let buffers = try (0..<8).map { try player.enqueueRamp($0 * 30_000..<($0 + 1) * 30_000) }
      try player.queue.start()
      player.crank(4000)
      #expect(player.returned == buffers.map { ObjectIdentifier($0) })
      #expect(
        refused
          == Array(
            repeating: action < 2 ? AudioQueueError.Code.enqueueDuringReset : .disposalPending,
            count: 7))
      #expect(player.queue.isRunning == (action == 1))
    }
  }

  @Test("Stopped from inside the listener of its start, it reports its end, too")
  func stopFromListener() throws {
    let player = try SteppedQueue()
    player.log.onRunning = { queue in
      guard queue.isRunning else { return }
      #expect(code { () throws(AudioQueueError) in try queue.stop(immediately: true) } == nil)
    }
    let buffer = try player.enqueueRamp(0..<100_000)
    try player.queue.start()
    player.crank(2000)
    #expect(player.returned == [ObjectIdentifier(buffer)])
    #expect(player.log.calls.first == .isRunning(true))
    #expect(player.log.calls.last == .isRunning(false) && player.runningNotices == 2)
  }

  @Test("Calls wait for the caller's executor; a stop makes the remaining ones itself")
  func executor() throws {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 2)
    let work = POSIXMutex<[@Sendable () -> Void]>([])
    let calls = POSIXMutex<[Int]>([])
    let queue = try AudioQueue(
      engine: QueueEngine(SteppedQueue.stereo, renderer: renderer),
      executor: { item in work.withLock { $0.append(item) } }, hasProducer: false
    ) { _, buffer in calls.withLock { $0.append(buffer.byteCount / 8) } }
    queue.addPropertyListener(.isRunning) { queue, _ in
      calls.withLock { $0.append(queue.isRunning ? 1 : 0) }
    }
    func runWork() {
      let items = work.withLock { work in
        defer { work.removeAll() }
        return work
      }
      for item in items { item() }
    }
    for frames in [100, 200, 90_000] {
      let buffer = try queue.allocateBuffer(byteCapacity: frames * 8)
      SteppedQueue.fill(buffer, ramp: 0..<frames)
      try queue.enqueue(buffer)
    }
    try queue.start()
    var output = OfflineOutput(renderer: renderer)
    output.render(frameCount: 512) { _, _ in }
    queue.step()
    #expect(calls.withLock { $0.isEmpty })
    runWork()
    #expect(calls.withLock { $0 } == [100, 200, 1])
    try queue.stop(immediately: true)
    #expect(calls.withLock { $0 } == [100, 200, 1, 90_000, 0])
    runWork()
    #expect(calls.withLock { $0.count } == 5)
  }

  @Test("With threads of its own a queue plays all sound pushed from its callback, in order")
  func threads() throws {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 2)
    let state = POSIXMutex((next: 0, returned: 0, isStopped: false))
    let total = 96_000
    let queue = try AudioQueue(playing: SteppedQueue.stereo, into: renderer) { queue, buffer in
      let range = state.withLock { state in
        state.returned += 1
        let range = state.next..<min(total, state.next + 2400)
        state.next = range.upperBound
        return range
      }
      if range.isEmpty {
        try? queue.stop(immediately: false)
      } else {
        SteppedQueue.fill(buffer, ramp: range)
        try? queue.enqueue(buffer)
      }
    }
    queue.addPropertyListener(.isRunning) { queue, _ in
      if !queue.isRunning { state.withLock { $0.isStopped = true } }
    }
    for _ in 0..<3 {
      let buffer = try queue.allocateBuffer(byteCapacity: 2400 * 8)
      let range = state.withLock { state in
        defer { state.next += 2400 }
        return state.next..<state.next + 2400
      }
      SteppedQueue.fill(buffer, ramp: range)
      try queue.enqueue(buffer)
    }
    try queue.start()
    var output = OfflineOutput(renderer: renderer)
    var heard: [Float] = []
    var cycle: [Float] = []
    let isDone = eventually(seconds: 60) {
      output.render(frameCount: 256, interleavedInto: &cycle)
      heard += cycle
      return state.withLock { $0.isStopped }
    }
    #expect(isDone)
    // The output runs as fast as it can: late sound leaves silence, but nothing is lost or repeated.
    let sound = stride(from: 0, to: heard.count, by: 2).map { heard[$0] }.filter { $0 != 0 }
    #expect(sound == (0..<total).map { SteppedQueue.ramp($0) })
    #expect(state.withLock { $0.returned } == 40)
  }

  @Test(
    "Threads that start, pause, stop, reset and enqueue at once lose no buffer and do not deadlock")
  func crowd() throws {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 2)
    let counts = POSIXMutex((enqueued: 0, returned: 0))
    let queue = try AudioQueue(playing: SteppedQueue.stereo, into: renderer) { queue, buffer in
      let isEven = counts.withLock { counts in
        counts.returned += 1
        return counts.returned % 2 == 0
      }
      if isEven { try? queue.free(buffer) }
      if isEven, (try? queue.enqueue(buffer)) != nil { counts.withLock { $0.enqueued += 1 } }
    }
    let isEnding = POSIXMutex(false)
    let device = JoinableThread {
      var output = OfflineOutput(renderer: renderer)
      while !isEnding.withLock({ $0 }) { output.render(frameCount: 256) { _, _ in } }
    }
    let workers = (0..<3).map { worker in
      JoinableThread {
        var random = SplitMix(state: UInt64(worker))
        for _ in 0..<400 {
          switch Int.random(in: 0..<20, using: &random) {
          case 0: try? queue.stop(immediately: true)
          case 1: try? queue.stop(immediately: false)
          case 2: try? queue.reset()
          case 3: try? queue.pause()
          case 4: try? queue.flush()
          case 5: _ = try? queue.currentTime()
          case 6: try? queue.set(.volume, to: 0.5)
          case 7: _ = try? queue.prime()
          case 8...10: try? queue.start()
          default:
            guard let buffer = try? queue.allocateBuffer(byteCapacity: 8 * 200) else { continue }
            buffer.byteCount = 8 * 200
            if (try? queue.enqueue(buffer)) != nil { counts.withLock { $0.enqueued += 1 } }
          }
        }
      }
    }
    for worker in workers { worker.join() }
    try queue.dispose(immediately: true)
    let (enqueued, returned) = counts.withLock { $0 }
    #expect(enqueued == returned && enqueued > 100)
    isEnding.withLock { $0 = true }
    device.join()
  }
}
