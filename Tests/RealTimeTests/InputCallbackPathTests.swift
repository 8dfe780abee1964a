// SPDX-License-Identifier: MIT

import OfflineOutput
import RenderCore
import Testing

/// Subtracts right from left, as the example `vocal-remover` does, with every answer that a callback may return.
@_noLocks
private func subtractInputs(
  _ context: UnsafeMutableRawPointer?, _ call: UnsafeMutablePointer<RenderCall>
) -> Int32 {
  guard let calls = unsafe context?.assumingMemoryBound(to: Int.self) else { return -1 }
  unsafe calls.pointee += 1
  for frame in unsafe 0..<call.pointee.frameCount {
    let difference = unsafe call.pointee.inputs[0][frame] - call.pointee.inputs[1][frame]
    for output in unsafe 0..<call.pointee.outputCount {
      unsafe call.pointee.outputs[output][frame] = difference
    }
  }
  switch unsafe calls.pointee % 5 {
  case 1: unsafe call.pointee.isSilent = true
  case 2: unsafe call.pointee.outputCount = 0
  case 3: unsafe call.pointee.frameCount /= 2
  case 4: return -1
  default: break
  }
  return 0
}

/// As ``RenderPathTests``: only a build with RealtimeSanitizer checks anything here.
@Suite("Real-time input callback path", .serialized)
struct InputCallbackPathTests {
  @Test(
    "A callback of the inputs, with any answer, runs clean, and can be added and removed",
    arguments: [0, 2])
  func everyAnswer(_ outputs: Int) {
    let renderer = Renderer(sampleRate: 48000, outputChannels: outputs, inputChannels: 2)
    let calls = UnsafeMutablePointer<Int>.allocate(capacity: 2)
    unsafe calls.initialize(repeating: 0, count: 2)
    defer { unsafe calls.deallocate() }
    unsafe renderer.addCallback(subtractInputs, context: calls)
    var output = OfflineOutput(renderer: renderer)
    var heard = 0
    for count in [16, 64, 1000, 8192] {
      let passing = unsafe renderer.addCallback(subtractInputs, context: calls + 1)
      for _ in 0..<10 {
        output.render(inputs: [
          [Float](repeating: 1, count: count), .init(repeating: 3, count: count),
        ]) { _, samples in
          for index in samples.indices where samples[index] != 0 { heard += 1 }
        }
      }
      #expect(renderer.remove(passing))
    }
    #expect(unsafe calls[0] == 40 && calls[1] == 40)
    // Of five answers one sounds whole and one half, and the two callbacks are in step.
    #expect(heard == outputs * 3 * (16 + 64 + 1000 + 8192))
  }
}
