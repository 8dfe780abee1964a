// SPDX-License-Identifier: MIT

import AudioModel
import OfflineOutput
import PushQueue
import RenderCore
import Testing

/// As ``RenderPathTests``, for the parts of the render path that a queue adds: with RealtimeSanitizer, an allocation in
/// the callback ends the process.
@Suite("Real-time queue path", .serialized)
struct QueuePathTests {
  @Test(
    "A queue with ramps, pan, levels, start times, parameters and underruns runs clean",
    arguments: [44_100, 48_000], [16, 333, 4096])
  func everything(_ rate: Double, _ period: Int) throws {
    let renderer = Renderer(sampleRate: 48_000, outputChannels: 2)
    let format = AudioStreamBasicDescription.linearPCM(
      sampleRate: rate, channels: 2, bitsPerChannel: 32, flags: [.float, .packed])
    let queue = try AudioQueue(playing: format, into: renderer) { queue, buffer in
      try? queue.free(buffer)
    }
    queue.isLevelMeteringEnabled = true
    var output = OfflineOutput(renderer: renderer)
    var rendered = 0
    var round = 0
    while rendered < 480_000 {
      round += 1
      let buffer = try queue.allocateBuffer(byteCapacity: 8 * 3000)
      for index in 0..<buffer.byteCapacity { unsafe buffer.bytes[index] = UInt8(index % 61) }
      buffer.byteCount = buffer.byteCapacity
      let time = try? queue.currentTime().sampleTime
      try queue.enqueue(
        buffer,
        parameters: [
          .init(.volumeRampTime, Float(round % 3) * 0.02),
          .init(.volume, Float(round % 5) / 4), .init(.pan, Float(round % 7) / 3 - 1),
        ], startFrame: round % 4 == 0 ? time.map { max(0, $0) + 4000 } : nil)
      switch round % 20 {
      case 3: try queue.flush()
      case 7: try queue.pause()
      case 11: try queue.reset()
      case 15: try queue.set(.volume, to: 0.5)
      case 19: try queue.stop(immediately: true)
      default: try queue.start(atDeviceTime: round % 20 == 0 ? Double(rendered + 100) : nil)
      }
      for _ in 0..<max(1, 6000 / period) {
        output.render(frameCount: period) { _, _ in }
        rendered += period
      }
      _ = queue.currentLevels()
    }
    #expect(round > 20)
    try queue.dispose(immediately: true)
  }
}
