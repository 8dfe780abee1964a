// SPDX-License-Identifier: MIT

import AudioModel
import OfflineOutput
import RenderCore
import TestKit
import Testing

/// As ``CallbackPathTests``.
@Suite("Real-time path of an input callback with a format of its own", .serialized)
struct FormattedInputPathTests {
  @Test(
    "It runs clean at any rate, in any format, also when the input's rate changes",
    arguments: [8000.0, 44100, 192_000], [16, 333, 8192])
  func clean(_ rate: Double, _ period: Int) throws {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 0, inputChannels: 2)
    let formats: [(channels: UInt32, bits: UInt32, flags: AudioFormatFlags)] = [
      (1, 8, .signedInteger), (2, 16, .signedInteger), (2, 24, [.signedInteger, .bigEndian]),
      (2, 32, [.signedInteger, .nonInterleaved]), (6, 32, [.float, .nonInterleaved]),
      (2, 64, .float),
    ]
    let listeners = try formats.map { format in
      let description = AudioStreamBasicDescription.linearPCM(
        sampleRate: rate, channels: format.channels, bitsPerChannel: format.bits,
        flags: format.flags.union(.packed))
      let listener = FrameListener(description, capacityFrames: 8 * Int(rate))
      try unsafe renderer.addInputCallback(
        hearFrames, context: listener.context, format: description)
      return listener
    }
    var output = OfflineOutput(renderer: renderer)
    for inputRate in [48000.0, 44100, 96000] {
      renderer.sampleRate = inputRate
      let before = listeners.map(\.frameCount)
      let cycles = max(4, 48000 / period)
      for _ in 0..<cycles {
        output.render(inputs: [[Float]](repeating: .init(repeating: 0.1, count: period), count: 2))
      }
      // The frames that the resampler holds back are subtracted.
      let frames = Double(cycles * period) * rate / inputRate - 1400 * max(1, rate / inputRate)
      for (listener, before) in zip(listeners, before) {
        #expect(Double(listener.frameCount - before) >= frames)
        #expect(listener.wrongCallCount == 0)
      }
    }
  }
}
