// SPDX-License-Identifier: MIT

import AudioModel
import JACKRemoteIO
import RenderCore
import TestKit
import Testing

@testable import PushQueue

extension JACKQueueTests {
  @Test("While the server freewheels, sound enqueued buffer by buffer plays without a gap")
  func freewheel() throws {
    let frames = 480_000
    try JACKServer.with { _ in
      let next = POSIXMutex(0)
      let player = try JACKQueue("wheel", playing: SteppedQueue.stereo) { queue, buffer in
        let range = next.withLock { next in
          let range = next..<min(frames, next + 4800)
          next = range.upperBound
          return range
        }
        if range.isEmpty {
          try? queue.free(buffer)
          try? queue.stop(immediately: false)
        } else {
          SteppedQueue.fill(buffer, ramp: range)
          try? queue.enqueue(buffer)
        }
      }
      defer { player.close() }
      let queue = player.queue
      let isDone = OneTimeEvent()
      queue.addPropertyListener(.isRunning) { queue, _ in
        if !queue.isRunning { isDone.signal() }
      }
      for turn in 0..<2 {
        let buffer = try queue.allocateBuffer(byteCapacity: 4800 * 8)
        SteppedQueue.fill(buffer, ramp: turn * 4800..<(turn + 1) * 4800)
        try queue.enqueue(buffer)
      }
      next.withLock { $0 = 9600 }
      let recorder = try JACKRecorder([player.portNames[0]], capacityFrames: 4 * frames)
      defer { recorder.close() }
      try recorder.setFreewheel(true)
      #expect(eventually { player.output.isFreewheeling })
      try queue.start()
      #expect(isDone.wait(seconds: 30))
      try recorder.setFreewheel(false)
      let heard = recorder.samples[0]
      let first = try #require(heard.firstIndex { $0 != 0 })
      let difference = heard[first...].prefix(frames).enumerated().first {
        $0.element != SteppedQueue.ramp($0.offset)
      }
      #expect(heard.count - first >= frames)
      #expect(difference?.offset == nil)
      #expect(queue.underrunCount == 0)
      #expect(player.output.abandonedFreewheelWaitCount == 0)
    }
  }
}
