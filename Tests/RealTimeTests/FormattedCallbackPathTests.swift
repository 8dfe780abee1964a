// SPDX-License-Identifier: MIT

import AudioModel
import OfflineOutput
import RenderCore
import Testing

/// Reports every frame as filled; the buffers start silent.
@_noLocks
private func giveSilence(
  _ context: UnsafeMutableRawPointer?, _ call: UnsafeMutablePointer<RenderCall>
) -> Int32 {
  guard let asked = unsafe context?.assumingMemoryBound(to: Int.self) else { return -1 }
  unsafe asked.pointee += call.pointee.frameCount
  return 0
}

/// As ``CallbackPathTests``.
@Suite("Real-time path of a callback with a format of its own", .serialized)
struct FormattedCallbackPathTests {
  @Test(
    "It runs clean at any rate, also when the output's changes",
    arguments: [8000.0, 44100, 192_000], [16, 333, 8192])
  func clean(_ rate: Double, _ period: Int) throws {
    let asked = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    unsafe asked.initialize(to: 0)
    defer { unsafe asked.deallocate() }
    let renderer = Renderer(sampleRate: 48000, outputChannels: 2)
    let formats: [AudioStreamBasicDescription] = [
      .linearPCM(
        sampleRate: rate, channels: 2, bitsPerChannel: 16, flags: [.signedInteger, .packed]),
      .linearPCM(
        sampleRate: rate, channels: 6, bitsPerChannel: 32,
        flags: [.float, .packed, .nonInterleaved]),
    ]
    for format in formats {
      try unsafe renderer.addCallback(giveSilence, context: asked, format: format)
    }
    var output = OfflineOutput(renderer: renderer)
    var given = 0.0
    for outputRate in [48000.0, 44100, 96000] {
      renderer.sampleRate = outputRate
      let cycles = max(4, 48000 / period)
      for _ in 0..<cycles { output.render(frameCount: period) { _, _ in } }
      // Frames that were pulled ahead are played at the next rate, except for part of one frame.
      given += Double(cycles * period) * rate / outputRate - 1
      #expect(unsafe Double(asked.pointee) >= 2 * given.rounded(.down))
    }
  }
}
