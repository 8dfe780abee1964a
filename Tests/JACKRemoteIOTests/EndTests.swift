// SPDX-License-Identifier: MIT

import RenderCore
import Synchronization
import TestKit
import Testing

@testable import JACKRemoteIO

/// A barrier that delays a cycle. Written by the process thread and the test.
private struct Barrier: ~Copyable {
  let isReached = Atomic<Bool>(false)
  let isOpen = Atomic<Bool>(false)
}

/// Renders until the barrier is open.
@_noLocks
private func renderUntilOpen(
  _ context: UnsafeMutableRawPointer?, _: UnsafeMutablePointer<RenderCall>
) -> Int32 {
  guard let barrier = unsafe context?.assumingMemoryBound(to: Barrier.self) else { return -1 }
  unsafe barrier.pointee.isReached.store(true, ordering: .releasing)
  while unsafe !barrier.pointee.isOpen.load(ordering: .acquiring) {}
  return 0
}

/// A weak reference, which shows whether the renderer still exists.
private final class Witness {
  weak var renderer: Renderer?
}

extension OutputTests {
  @Suite("an output that ends")
  struct Ends {
    @Test("no longer waits for its sources, though a freewheeling server still calls it")
    func lateCycles() throws {
      try JACKServer.with { _ in
        let output = try RemoteIO(configuration())
        let renderer = Renderer(sampleRate: output.sampleRate, outputChannels: 2)
        let early = renderer.addSource()
        defer {
          output.close()
          withExtendedLifetime(renderer) {}
        }
        try output.start(rendering: renderer.context)
        let recorder = try JACKRecorder(["drawbar:out_1"], capacityFrames: 100)
        defer { recorder.close() }
        try recorder.setFreewheel(true)
        #expect(eventually { early.control.isOutputWaiting })
        // Closing begins with this step; the server keeps calling until it has removed the client.
        #expect(output.storage.detach(until: Deadline(nanosecondsFromNow: 1_000_000_000)))
        let late = renderer.addSource()
        func isCalledOn() -> Bool {
          let cycles = output.cycleCount
          return eventually { output.cycleCount > cycles + 10 }
        }
        #expect(isCalledOn())
        #expect(!late.control.isOutputWaiting)
        try recorder.setFreewheel(false)
        #expect(eventually { !output.isFreewheeling })
        #expect(isCalledOn())
        #expect(early.control.isOutputWaiting)
      }
    }

    @Test("keeps its renderer while a cycle does not end in time")
    func longCycle() throws {
      let barrier = UnsafeMutablePointer<Barrier>.allocate(capacity: 1)
      unsafe barrier.initialize(to: Barrier())
      defer {
        unsafe barrier.deinitialize(count: 1)
        unsafe barrier.deallocate()
      }
      let witness = Witness()
      func begin(_ output: RemoteIO) throws {
        let renderer = Renderer(sampleRate: output.sampleRate, outputChannels: 2)
        unsafe renderer.addCallback(renderUntilOpen, context: barrier)
        witness.renderer = renderer
        try output.start(rendering: renderer)
      }
      try JACKServer.with { server in
        let output = try RemoteIO(configuration())
        try begin(output)
        #expect(eventually { unsafe barrier.pointee.isReached.load(ordering: .acquiring) })
        // Prevents the client's end before the cycle has ended.
        server.freeze()
        #expect(!output.close(withinMilliseconds: 50))
        #expect(!eventually(seconds: 0.5) { witness.renderer == nil })
        unsafe barrier.pointee.isOpen.store(true, ordering: .releasing)
        #expect(output.close())
        server.thaw()
        #expect(eventually { witness.renderer == nil })
      }
    }

    @Test("no longer waits for its sources after its freewheeling server has died")
    func deathWhileFreewheeling() throws {
      try JACKServer.with { server in
        let output = try RemoteIO(configuration())
        let renderer = Renderer(sampleRate: output.sampleRate, outputChannels: 2)
        let source = renderer.addSource()
        defer {
          output.close()
          withExtendedLifetime(renderer) {}
        }
        try output.start(rendering: renderer.context)
        _ = try server.run(["jack_freewheel", "y"])
        #expect(eventually { source.control.isOutputWaiting })
        server.kill()
        #expect(eventually { output.isServerShutDown })
        #expect(eventually { !source.control.isOutputWaiting })
      }
    }

    @Test("while its server freewheels leaves no wait for sources to the next output")
    func nextOutput() throws {
      try JACKServer.with { server in
        let first = try RemoteIO(configuration())
        let renderer = Renderer(sampleRate: first.sampleRate, outputChannels: 2)
        let source = renderer.addSource()
        try first.start(rendering: renderer.context)
        let recorder = try JACKRecorder(["drawbar:out_1"], capacityFrames: 100)
        defer { recorder.close() }
        try recorder.setFreewheel(true)
        #expect(eventually { source.control.isOutputWaiting })
        #expect(first.close())
        #expect(source.control.isOutputWaiting)
        try recorder.setFreewheel(false)
        let next = try RemoteIO(configuration())
        defer {
          next.close()
          withExtendedLifetime(renderer) {}
        }
        try next.start(rendering: renderer.context)
        #expect(eventually { !source.control.isOutputWaiting })
      }
    }
  }
}
