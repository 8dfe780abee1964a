// SPDX-License-Identifier: MIT

import AudioModel
import OfflineOutput
import RenderCore
import Testing

@Suite("The sample rate of a renderer")
struct RendererRateTests {
  @Test(
    "can be any that an output can have, at first and later",
    arguments: [1.0, 8000, 44100, 48000, 768_000, Double(UInt32.max)])
  func possible(rate: Double) throws {
    let renderer = Renderer(sampleRate: rate, outputChannels: 2, inputChannels: 1)
    let changed = Renderer(sampleRate: 48000, outputChannels: 2, inputChannels: 1)
    changed.sampleRate = rate
    for renderer in [renderer, changed] {
      let source = renderer.addSource(ringBytes: 1 << 16, ringPackets: 64)
      source.control.volumeRampSeconds = 60
      source.control.volume = 0.5
      source.control.mode = .play
      _ = renderer.addMonitor()
      let handle = unsafe renderer.addCallback({ _, _ in 0 }, context: nil)
      var output = OfflineOutput(renderer: renderer)
      output.render(frameCount: 256) { _, _ in }
      #expect(renderer.sampleRate == rate)
      #expect(renderer.elapsedNanoseconds == UInt64(256 * 1_000_000_000 / rate))
      #expect(renderer.remove(handle))
    }
  }

  @Test(
    "is never 0, negative, infinite or NaN", arguments: [0, 0.99, -48000, .infinity, .nan])
  func impossible(rate: Double) async {
    // Values reach the other process as JSON, which has no NaN and no infinity.
    let bits = rate.bitPattern
    await #expect(processExitsWith: .failure) { [bits = bits as UInt64] in
      _ = Renderer(sampleRate: Double(bitPattern: bits), outputChannels: 2)
    }
    await #expect(processExitsWith: .failure) { [bits = bits as UInt64] in
      Renderer(sampleRate: 48000, outputChannels: 2).sampleRate = Double(bitPattern: bits)
    }
  }

  @Test(
    "is refused with an error by a separate converter",
    arguments: [0, -48000, .infinity, .nan, 1e300])
  func converter(rate: Double) {
    let format = AudioStreamBasicDescription.linearPCM(
      sampleRate: 44100, channels: 1, bitsPerChannel: 16, flags: [.signedInteger, .packed])
    #expect(throws: AudioConverterError.self) {
      _ = try unsafe RenderConverter(
        decoding: CodedStreamDescription(format: format),
        firstPacket: UnsafeRawBufferPointer(start: nil, count: 0), sampleRate: rate, channels: 2)
    }
  }
}
