// SPDX-License-Identifier: MIT

import OfflineOutput
import RenderCore
import Testing

/// As ``RenderPathTests``: only a build with RealtimeSanitizer checks anything here.
@Suite("Real-time capture path", .serialized)
struct CapturePathTests {
  @Test("Captures that are read, that overrun, and that are added and removed run clean")
  func everyTurn() {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 2, inputChannels: 3)
    var read = renderer.addCapture(capacityFrames: 1000)
    let unread = renderer.addCapture(capacityFrames: 1000)
    var output = OfflineOutput(renderer: renderer)
    for count in [16, 64, 1000, 8192, 1, 500] {
      let passing = renderer.addCapture(capacityFrames: 100)
      for _ in 0..<10 {
        output.render(inputs: [[Float]](repeating: .init(repeating: 1, count: count), count: 3))
        output.skip(frameCount: 7)
        while read.read({ _, _, _ in }) != .empty {}
      }
      renderer.remove(passing)
    }
    #expect(read.counters.overrunFrames == 10 * (8192 - 1024))
    #expect(unread.counters.capturedFrames == 1024)
    #expect(read.counters.missedFrames == 7 * 59)
  }
}
