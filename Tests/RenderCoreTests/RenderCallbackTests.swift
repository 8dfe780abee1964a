// SPDX-License-Identifier: MIT

import AudioModel
import OfflineOutput
import RenderCore
import Testing

@Suite("A render callback of the caller's")
struct RenderCallbackTests {
  @Test("It is called once in each cycle, with silent buffers and the cycle's facts")
  func facts() {
    unsafe CallbackRecord.with(CallbackRecord(value: 0.25)) { records in
      let renderer = Renderer(sampleRate: 48000, outputChannels: 3)
      unsafe renderer.addCallback(recordCall, context: records[0])
      var output = OfflineOutput(renderer: renderer)
      for (cycle, frames) in [48, 1, 8192].enumerated() {
        output.render(frameCount: frames) { channel, samples in
          let isRight = samples.indices.allSatisfy { samples[$0] == 0.25 * Float(channel + 1) }
          #expect(isRight)
        }
        let record = unsafe records[0].pointee
        #expect(record.calls == cycle + 1 && record.wasSilent)
        #expect(record.outputs == 3 && record.frames == frames && record.inputs == 0)
      }
      let record = unsafe records[0].pointee
      #expect(record.frameTime == 49)
      #expect(record.nanoseconds == 49 * 1_000_000_000 / 48000)
    }
  }

  @Test(
    "It receives each cycle's input frames, with outputs and without", arguments: [0, 2])
  func inputs(_ outputs: Int) {
    unsafe CallbackRecord.with(CallbackRecord(value: 1), CallbackRecord()) { records in
      let renderer = Renderer(sampleRate: 48000, outputChannels: outputs, inputChannels: 3)
      for index in 0..<2 { unsafe renderer.addCallback(recordCall, context: records[index]) }
      var output = OfflineOutput(renderer: renderer)
      for (cycle, count) in [5, 100, 8192].enumerated() {
        var heard = 0
        output.render(inputs: [1, 10, 100].map { [Float](repeating: $0, count: count) }) { _, _ in
          heard += 1
        }
        #expect(heard == outputs)
        for index in 0..<2 {
          let record = unsafe records[index].pointee
          #expect(record.inputs == 3 && record.calls == cycle + 1)
          #expect(record.outputs == outputs && record.frames == count)
          #expect(record.inputSum == 321 * Float(count))
        }
      }
      // A cycle without inputs has silence.
      output.render(frameCount: 64) { _, _ in }
      #expect(unsafe records[0].pointee.inputSum == 0)
    }
  }

  @Test("Its output is added to that of other callbacks and sources")
  func added() throws {
    try unsafe CallbackRecord.with(
      CallbackRecord(value: 0.25), CallbackRecord(value: 0.5)
    ) { records in
      let renderer = Renderer(sampleRate: 48000, outputChannels: 1)
      try play(0.125, frames: 100, renderer.addSource())
      for index in 0..<2 { unsafe renderer.addCallback(recordCall, context: records[index]) }
      var output = OfflineOutput(renderer: renderer)
      output.render(frameCount: 100) { _, samples in
        let isSum = samples.indices.allSatisfy { samples[$0] == 0.875 }
        #expect(isSum)
      }
    }
  }

  @Test(
    "A cycle for which it returns an error is silent and counted, and it is called again"
  )
  func failing() {
    unsafe CallbackRecord.with(CallbackRecord(value: 0.25)) { records in
      let renderer = Renderer(sampleRate: 48000, outputChannels: 2)
      let handle = unsafe renderer.addCallback(recordCall, context: records[0])
      var output = OfflineOutput(renderer: renderer)
      for status: Int32 in [-1, 0, 1] {
        unsafe records[0].pointee.status = status
        output.render(frameCount: 64) { _, samples in
          let isSilent = samples.indices.allSatisfy { samples[$0] == 0 }
          #expect(isSilent == (status != 0))
        }
        #expect(handle.lastStatus == status)
      }
      #expect(unsafe records[0].pointee.calls == 3)
      #expect(handle.failedCycleCount == 2)
    }
  }

  /// The reported counts of frames and outputs, and the frames, of 64, that sound on each of two outputs.
  @Test(
    "Frames that it reports as not rendered are silent, whatever lies in the buffers",
    arguments: [
      (20, nil, [20, 20]), (0, nil, [0, 0]), (-1, nil, [0, 0]), (1000, nil, [64, 64]),
      (nil, 0, [0, 0]), (nil, 1, [64, 0]), (nil, -5, [0, 0]), (nil, 9, [64, 64]), (3, 1, [3, 0]),
    ] as [(Int?, Int?, [Int])])
  func less(_ frames: Int?, _ outputs: Int?, _ heard: [Int]) {
    let given = unsafe CallbackRecord(value: 0.5, givenFrames: frames, givenOutputs: outputs)
    unsafe CallbackRecord.with(given) { records in
      let renderer = Renderer(sampleRate: 48000, outputChannels: 2)
      let handle = unsafe renderer.addCallback(recordCall, context: records[0])
      var output = OfflineOutput(renderer: renderer)
      for _ in 0..<2 {
        output.render(frameCount: 64) { channel, samples in
          let isRight = samples.indices.allSatisfy { (samples[$0] != 0) == ($0 < heard[channel]) }
          #expect(isRight)
        }
        // The next call requests the whole cycle again.
        let record = unsafe records[0].pointee
        #expect(record.frames == 64 && record.outputs == 2)
      }
      #expect(handle.failedCycleCount == 0)
    }
  }

  @Test("A cycle that it marks as silent is silent")
  func silent() {
    unsafe CallbackRecord.with(CallbackRecord(value: 0.5, saysSilent: true)) { records in
      let renderer = Renderer(sampleRate: 48000, outputChannels: 2)
      unsafe renderer.addCallback(recordCall, context: records[0])
      var output = OfflineOutput(renderer: renderer)
      for isSilent in [true, false, true] {
        unsafe records[0].pointee.saysSilent = isSilent
        output.render(frameCount: 64) { _, samples in
          let isRight = samples.indices.allSatisfy { (samples[$0] == 0) == isSilent }
          #expect(isRight)
        }
      }
    }
  }

  @Test("It may return its own memory instead of a buffer, in each cycle anew")
  func ownMemory() {
    let own = UnsafeMutablePointer<Float>.allocate(capacity: 64)
    unsafe own.initialize(repeating: 0.75, count: 64)
    defer { unsafe own.deallocate() }
    unsafe CallbackRecord.with(CallbackRecord(value: 0.5)) { records in
      let renderer = Renderer(sampleRate: 48000, outputChannels: 2)
      unsafe renderer.addCallback(recordCall, context: records[0])
      var output = OfflineOutput(renderer: renderer)
      for isOwn in [true, false] {
        unsafe records[0].pointee.ownBuffer = isOwn ? own : nil
        output.render(frameCount: 64) { channel, samples in
          let expected: Float = channel == 1 ? 1 : isOwn ? 0.75 : 0.5
          let isRight = samples.indices.allSatisfy { samples[$0] == expected }
          #expect(isRight)
        }
      }
      let isUntouched = (0..<64).allSatisfy { unsafe own[$0] == 0.75 }
      #expect(isUntouched)
    }
  }
}
