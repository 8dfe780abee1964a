// SPDX-License-Identifier: MIT

import AudioModel
import Testing

@testable import PushQueue

@Suite("4.4 AudioQueue buffer life cycle and callback")
struct AudioQueueLifeCycleTests {
  @Test(
    "A buffer returns when its data is consumed, about the decode buffer's size before it plays")
  func consumed() throws {
    let player = try SteppedQueue()
    try player.enqueueRamp(0..<144_000)
    try player.queue.start()
    player.crank(95_000, period: 500)
    #expect(player.returned.isEmpty)
    player.crank(2000, period: 500)
    #expect(player.returned.count == 1, "one second of three is left")
  }

  @Test("One buffer in flight, filled again in the callback, plays without a gap")
  func oneBuffer() throws {
    let player = try SteppedQueue()
    let buffer = try player.enqueueRamp(0..<4800)
    var next = 4800
    player.log.onReturn = { queue, returned in
      guard returned === buffer, next < 480_000 else { return }
      SteppedQueue.fill(returned, ramp: next..<next + 4800)
      next += 4800
      #expect(code { () throws(AudioQueueError) in try queue.enqueue(returned) } == nil)
    }
    try player.queue.start()
    player.crank(470_000, period: 1024)
    #expect(player.heardRamp == Array(0..<470_000))
    #expect(player.queue.underrunCount == 0 && player.returned.count == 100)
  }

  @Test("Callbacks are paced by playback: no more is decoded than the decode buffer holds")
  func paced() throws {
    let player = try SteppedQueue()
    let buffers = try (0..<100).map { try player.enqueueRamp($0 * 4800..<($0 + 1) * 4800) }
    try player.queue.start()
    player.settle()
    #expect((9...11).contains(player.returned.count))
    player.crank(48_000, period: 480)
    #expect((19...21).contains(player.returned.count))
    player.crank(480_000, period: 480)
    #expect(player.returned == buffers.map { ObjectIdentifier($0) }, "in order, each once")
  }

  @Test("Frames decoded ahead follow the decode buffer's size", arguments: [100, 12_000, 96_000])
  func decodeBufferSize(_ frames: Int) throws {
    let player = try SteppedQueue()
    player.queue.decodeBufferSizeFrames = frames
    #expect(player.queue.decodeBufferSizeFrames == frames)
    for index in 0..<200 { try player.enqueueRamp(index * 1000..<(index + 1) * 1000) }
    let prepared = try player.queue.prime()
    #expect(prepared >= frames && prepared <= frames + 1024)
  }

  @Test("A buffer belongs to the queue until its callback, and can be enqueued again inside of it")
  func enqueueAgain() throws {
    let player = try SteppedQueue()
    let buffer = try player.rampBuffer(0..<10)
    var times = 0
    player.log.onReturn = { queue, returned in
      times += 1
      if times < 50 { try? queue.enqueue(returned) }
    }
    try player.queue.enqueue(buffer)
    try player.queue.start()
    player.crank(1000)
    #expect(times == 50 && player.heardRamp.count { $0 >= 0 } == 500)
    try player.queue.enqueue(buffer)
    #expect(
      code { () throws(AudioQueueError) in try player.queue.enqueue(buffer) } == .bufferInQueue)
  }

  @Test("Buffers of a millisecond play as well as long ones")
  func smallBuffers() throws {
    let player = try SteppedQueue()
    for index in 0..<1000 { try player.enqueueRamp(index * 48..<(index + 1) * 48) }
    try player.queue.start()
    player.crank(48_000, period: 256)
    #expect(player.heardRamp == Array(0..<48_000))
  }
}
