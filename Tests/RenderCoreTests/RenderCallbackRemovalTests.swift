// SPDX-License-Identifier: MIT

import Glibc
import OfflineOutput
import RenderCore
import Synchronization
import TestKit
import Testing

/// A callback that stays in its cycle until `mayEnd` is signalled.
private final class HeldCallback: Sendable {
  let hasBegun = OneTimeEvent()
  let mayEnd = OneTimeEvent()
  let calls = Atomic<Int>(0)
}

private func hold(
  _ context: UnsafeMutableRawPointer?, _ call: UnsafeMutablePointer<RenderCall>
) -> Int32 {
  let held = unsafe Unmanaged<HeldCallback>.fromOpaque(context!).takeUnretainedValue()
  held.calls.add(1, ordering: .relaxed)
  held.hasBegun.signal()
  held.mayEnd.wait(seconds: 20)
  return 0
}

@Suite("A render callback that is removed")
struct RenderCallbackRemovalTests {
  @Test("is not called any more, unlike the others, and can be added again")
  func removed() {
    unsafe CallbackRecord.with(CallbackRecord(value: 0.25), CallbackRecord(value: 0.5)) { records in
      let renderer = Renderer(sampleRate: 48000, outputChannels: 1)
      let handles = unsafe records.map { unsafe renderer.addCallback(recordCall, context: $0) }
      var output = OfflineOutput(renderer: renderer)
      func render(hears value: Float) {
        output.render(frameCount: 16) { _, samples in
          let isRight = samples.indices.allSatisfy { samples[$0] == value }
          #expect(isRight)
        }
      }
      render(hears: 0.75)
      // No cycle runs, so neither removal waits.
      #expect(renderer.remove(handles[0], withinMilliseconds: 0))
      #expect(renderer.remove(handles[0], withinMilliseconds: 0))
      render(hears: 0.5)
      #expect(unsafe records[0].pointee.calls == 1)
      #expect(unsafe records[1].pointee.calls == 2)
      let again = unsafe renderer.addCallback(recordCall, context: records[0])
      render(hears: 0.75)
      #expect(renderer.remove(again) && renderer.remove(handles[1]))
      render(hears: 0)
      #expect(unsafe records[0].pointee.calls == 2)
      #expect(unsafe records[1].pointee.calls == 3)
    }
  }

  @Test("can be removed before any output has run, and its memory freed")
  func neverCalled() {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 1)
    let memory = UnsafeMutablePointer<CallbackRecord>.allocate(capacity: 1)
    unsafe memory.initialize(to: CallbackRecord())
    let handle = unsafe renderer.addCallback(recordCall, context: memory)
    #expect(renderer.remove(handle, withinMilliseconds: 0))
    unsafe memory.deallocate()
  }

  @Test("is waited for while a cycle calls it, for the given time at most")
  func heldCycle() {
    let held = HeldCallback()
    let renderer = Renderer(sampleRate: 48000, outputChannels: 1)
    let handle = unsafe renderer.addCallback(
      hold, context: Unmanaged.passUnretained(held).toOpaque())
    let thread = JoinableThread {
      var output = OfflineOutput(renderer: renderer)
      for _ in 0..<3 { output.render(frameCount: 16) { _, _ in } }
    }
    #expect(held.hasBegun.wait(seconds: 20))
    let start = monotonicSeconds()
    #expect(!renderer.remove(handle, withinMilliseconds: 50))
    #expect((0.05..<5).contains(monotonicSeconds() - start))
    let remover = JoinableThread {
      #expect(renderer.remove(handle, withinMilliseconds: 20_000))
      // Two cycles after the held one have used the plan without the callback.
      #expect(held.calls.load(ordering: .relaxed) == 1)
    }
    held.mayEnd.signal()
    remover.join()
    thread.join()
    #expect(held.calls.load(ordering: .relaxed) == 1)
    withExtendedLifetime(held) {}
  }

  @Test("is out of every cycle once its removal returns true, and its memory can be freed at once")
  func busy() {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 1, inputChannels: 1)
    let end = OneTimeEvent()
    let thread = JoinableThread {
      var output = OfflineOutput(renderer: renderer)
      while !end.wait(seconds: 0) { output.render(inputs: [[Float](repeating: 1, count: 8)]) }
    }
    var called = 0
    for round in 0..<500 {
      let memory = UnsafeMutablePointer<CallbackRecord>.allocate(capacity: 1)
      unsafe memory.initialize(to: CallbackRecord(value: 1))
      let handle = unsafe renderer.addCallback(recordCall, context: memory)
      if round % 2 == 0 { usleep(20) }
      #expect(renderer.remove(handle, withinMilliseconds: 20_000))
      // A cycle that still wrote to the memory would change this count.
      let calls = unsafe memory.pointee.calls
      if calls > 0 { called += 1 }
      sched_yield()
      #expect(unsafe memory.pointee.calls == calls)
      unsafe memory.deinitialize(count: 1)
      unsafe memory.deallocate()
    }
    end.signal()
    thread.join()
    #expect(called > 0)
  }
}
