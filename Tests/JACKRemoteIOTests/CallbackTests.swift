// SPDX-License-Identifier: MIT

import JACKRemoteIO
import RenderCore
import Synchronization
import TestKit
import Testing

/// The sound received by an input callback of the tests. Written by the process thread.
private struct HeardInputs: ~Copyable {
  let cycles = Atomic<Int>(0)
  let frames = Atomic<Int>(0)
  let inputs = Atomic<Int>(0)
  let outputs = Atomic<Int>(-1)
  /// The bits of the largest sample.
  let peak = Atomic<UInt32>(0)
}

@_noLocks
private func hearInputs(
  _ context: UnsafeMutableRawPointer?, _ call: UnsafeMutablePointer<RenderCall>
) -> Int32 {
  guard let heard = unsafe context?.assumingMemoryBound(to: HeardInputs.self) else { return -1 }
  var peak: Float = 0
  for input in unsafe 0..<call.pointee.inputCount {
    for frame in unsafe 0..<call.pointee.frameCount {
      let sample = unsafe call.pointee.inputs[input][frame].magnitude
      if sample > peak { peak = sample }
    }
  }
  unsafe heard.pointee.peak.max(peak.bitPattern, ordering: .relaxed)
  unsafe heard.pointee.inputs.store(call.pointee.inputCount, ordering: .relaxed)
  unsafe heard.pointee.outputs.store(call.pointee.outputCount, ordering: .relaxed)
  unsafe heard.pointee.frames.add(call.pointee.frameCount, ordering: .relaxed)
  unsafe heard.pointee.cycles.add(1, ordering: .relaxed)
  return 0
}

/// Fills every output with the value 0.5.
@_noLocks
private func renderHalf(
  _: UnsafeMutableRawPointer?, _ call: UnsafeMutablePointer<RenderCall>
) -> Int32 {
  for output in unsafe 0..<call.pointee.outputCount {
    for frame in unsafe 0..<call.pointee.frameCount {
      unsafe call.pointee.outputs[output][frame] = 0.5
    }
  }
  return 0
}

extension OutputTests {
  @Suite("a caller's callback")
  struct Callback {
    @Test("without outputs receives each input frame, until its removal on a running server")
    func inputCallback() throws {
      try JACKServer.with { _ in
        let player = try RemoteIO(configuration(clientName: "player"))
        let playing = Renderer(sampleRate: player.sampleRate, outputChannels: 2)
        unsafe playing.addCallback(renderHalf, context: nil)
        try player.start(rendering: playing.context)
        let unit = try RemoteIO(
          .init(
            clientName: "listener", serverName: JACKServer.name, outputPortNames: [],
            connection: .none, inputPortNames: ["in_1", "in_2"],
            inputConnection: .pattern("player")))
        let renderer = Renderer(sampleRate: unit.sampleRate, outputChannels: 0, inputChannels: 2)
        let heard = UnsafeMutablePointer<HeardInputs>.allocate(capacity: 1)
        unsafe heard.initialize(to: HeardInputs())
        defer {
          unit.close()
          player.close()
          unsafe heard.deinitialize(count: 1)
          unsafe heard.deallocate()
          withExtendedLifetime((playing, renderer)) {}
        }
        let callback = unsafe renderer.addCallback(hearInputs, context: heard)
        try unit.start(rendering: renderer.context)
        let isHeard = eventually {
          unsafe heard.pointee.cycles.load(ordering: .relaxed) > 20
            && Float(bitPattern: heard.pointee.peak.load(ordering: .relaxed)) == 0.5
        }
        #expect(isHeard)
        #expect(unsafe heard.pointee.inputs.load(ordering: .relaxed) == 2)
        #expect(unsafe heard.pointee.outputs.load(ordering: .relaxed) == 0)
        #expect(renderer.remove(callback))
        let cycles = unsafe heard.pointee.cycles.load(ordering: .relaxed)
        #expect(unsafe heard.pointee.frames.load(ordering: .relaxed) == cycles * 256)
        let rendered = renderer.telemetry.cycles
        #expect(eventually { renderer.telemetry.cycles > rendered + 10 })
        #expect(unsafe heard.pointee.cycles.load(ordering: .relaxed) == cycles)
        #expect(callback.failedCycleCount == 0 && callback.lastStatus == 0)
      }
    }

    @Test("that returns errors is counted, and leaves the client running")
    func failing() throws {
      try JACKServer.with { server in
        let unit = try RemoteIO(configuration(.automatic))
        let renderer = Renderer(sampleRate: unit.sampleRate, outputChannels: 2)
        let callback = unsafe renderer.addCallback({ _, _ in -1 }, context: nil)
        try unit.start(rendering: renderer.context)
        #expect(eventually { callback.failedCycleCount > 50 })
        #expect(callback.lastStatus == -1)
        #expect(try server.ports().contains { $0.name == "drawbar:out_1" })
        #expect(unit.close() && renderer.remove(callback))
      }
    }
  }
}
