// SPDX-License-Identifier: MIT

import AudioModel
import OfflineOutput
import RenderCore
import Testing

/// As ``RenderPathTests``, for every quality of the resampler at usual and at extreme ratios: with RealtimeSanitizer,
/// an allocation in the callback ends the process.
@Suite("Real-time resampling", .serialized)
struct ResamplerPathTests {
  @Test(
    "Every quality at every ratio runs clean from the first packet to the end",
    arguments: ResamplerQuality.allCases,
    [
      (44100, 48000), (48000, 44100), (96000, 48000), (22050, 48000), (8000, 48000),
      (8000, 192_000), (192_000, 8000), (44100, 47999), (1000, 768_000), (768_000, 1000),
    ])
  func ratios(_ quality: ResamplerQuality, _ rates: (Int, Int)) throws {
    let (inputRate, outputRate) = rates
    let renderer = Renderer(sampleRate: Double(outputRate), outputChannels: 2)
    // The ring has room for everything: a burst at an extreme ratio takes more than a second of sound.
    let source = renderer.addSource(ringBytes: 16 << 20, resamplerQuality: quality)
    let control = source.control
    var feed = source.feed
    let format = AudioStreamBasicDescription.linearPCM(
      sampleRate: Double(inputRate), channels: 2, bitsPerChannel: 32,
      flags: [.float, .packed])
    // Two streams, the second joining the first. They are longer than the filters' delay, in packets of an odd length.
    let packetFrames = inputRate > 192_000 ? 1021 : 331
    let packets = max(2, inputRate / (2 * packetFrames))
    let samples = (0..<2 * packetFrames).map { Float($0 % 101) / 101 - 0.5 }
    var output = OfflineOutput(renderer: renderer)
    for stream in 0..<2 {
      for index in 0..<packets {
        let metadata = PacketMetadata(
          flushSerial: 0, packetIndex: Int64(index), firstFrame: Int64(index * packetFrames),
          frameCount: Int32(packetFrames), trimStartFrames: 0, trimEndFrames: 0, byteOffset: 0,
          durationNanoseconds: UInt64(packetFrames * 1_000_000_000 / inputRate))
        try unsafe samples.withUnsafeBytes { bytes in
          if index == 0 {
            let begun = unsafe try feed.beginStream(
              CodedStreamDescription(format: format), firstPacket: bytes,
              joinsPrevious: stream > 0)
            #expect(begun != nil)
          }
          let isWritten = unsafe feed.write(packet: bytes, metadata: metadata)
          #expect(isWritten)
        }
      }
    }
    let isEnded = feed.endStream()
    #expect(isEnded)
    control.mode = .play
    let expected = UInt64((2 * packets * packetFrames * outputRate + inputRate / 2) / inputRate)
    let periods = outputRate > 192_000 ? [64, 17, 512, 8192] : [64, 17, 512, 1000]
    var cycles = 0
    while control.position.outputFrames < expected, cycles < 100_000 {
      output.render(frameCount: periods[cycles % periods.count]) { _, _ in }
      cycles += 1
    }
    #expect(control.position.outputFrames == expected)
    #expect(control.counters.underruns == 0)
  }
}
