// SPDX-License-Identifier: MIT

import AudioModel
import OfflineOutput
import Testing

@testable import RenderCore

/// A sound that a callback renders up to its end, and then no frames.
@safe
private struct EndingSound {
  var value: Float
  var framesLeft: Int
  var calls = 0

  static func make(_ value: Float, frames: Int) -> UnsafeMutablePointer<EndingSound> {
    let memory = UnsafeMutablePointer<EndingSound>.allocate(capacity: 1)
    unsafe memory.initialize(to: EndingSound(value: value, framesLeft: frames))
    return unsafe memory
  }
}

@_noLocks
private func giveSound(
  _ context: UnsafeMutableRawPointer?, _ call: UnsafeMutablePointer<RenderCall>
) -> Int32 {
  guard let sound = unsafe context?.assumingMemoryBound(to: EndingSound.self) else { return -1 }
  unsafe sound.pointee.calls += 1
  // The renderer must ignore samples behind the reported frame count.
  for frame in unsafe 0..<call.pointee.frameCount {
    unsafe call.pointee.outputs[0][frame] = sound.pointee.value
  }
  let count = unsafe min(call.pointee.frameCount, sound.pointee.framesLeft)
  unsafe sound.pointee.framesLeft -= count
  unsafe call.pointee.frameCount = count
  return 0
}

@Suite("A render callback of another rate that renders fewer frames than requested")
struct FormattedCallbackEndTests {
  private static func format(_ rate: Double) -> AudioStreamBasicDescription {
    .linearPCM(sampleRate: rate, channels: 1, bitsPerChannel: 32, flags: [.float, .packed])
  }

  private func heard(_ output: inout OfflineOutput, frames: Int, period: Int) -> [Float] {
    var heard: [Float] = []
    while heard.count < frames {
      output.render(frameCount: period) { _, samples in
        for index in samples.indices { heard.append(samples[index]) }
      }
    }
    return heard
  }

  @Test(
    "plays to its end on time, and leaves nothing behind for a later sound",
    arguments: [22050.0, 44100, 48000, 96000], [64, 441, 1024, 8192])
  func end(_ rate: Double, _ period: Int) throws {
    let sound = unsafe EndingSound.make(0.5, frames: 10_000)
    defer { unsafe sound.deallocate() }
    let renderer = Renderer(sampleRate: 48000, outputChannels: 1)
    try unsafe renderer.addCallback(giveSound, context: sound, format: Self.format(rate))
    var output = OfflineOutput(renderer: renderer)
    let frames = Int(10_000 * 48000 / rate)
    let first = heard(&output, frames: 2 * frames, period: period)
    // The step is at half its height in the right frame; the filter rings on both sides of it.
    let edge = first.lastIndex { $0 > 0.25 } ?? 0
    #expect(abs(edge - (frames - 1)) <= 1)
    #expect(first[200..<frames - 200].allSatisfy { abs($0 - 0.5) < 0.01 })
    #expect(first[(frames + 3000)...].allSatisfy { abs($0) < 1e-6 })
    unsafe sound.pointee.value = -0.25
    unsafe sound.pointee.framesLeft = 5000
    let second = heard(&output, frames: 2 * frames, period: period)
    // The edges overshoot by up to an eighth of the step.
    #expect(second.allSatisfy { $0 < 0.04 })
    let sounding = second.count { $0 < -0.125 }
    #expect(abs(sounding - Int(5000 * 48000 / rate)) <= 2)
  }

  @Test(
    "loses no frame before a pause, and continues after it", arguments: [22050.0, 44100, 96000],
    [16, 256])
  func pause(_ rate: Double, _ period: Int) throws {
    let sound = unsafe EndingSound.make(0.5, frames: 3000)
    defer { unsafe sound.deallocate() }
    let renderer = Renderer(sampleRate: 48000, outputChannels: 1)
    try unsafe renderer.addCallback(giveSound, context: sound, format: Self.format(rate))
    var output = OfflineOutput(renderer: renderer)
    var all: [Float] = []
    // The callback falls short in one cycle, and renders whole buffers again in the next.
    while unsafe sound.pointee.framesLeft > 0 {
      all += heard(&output, frames: period, period: period)
    }
    unsafe sound.pointee.framesLeft = 3000
    all += heard(&output, frames: 20_000, period: period)
    #expect(abs(all.count { $0 > 0.25 } - Int(6000 * 48000 / rate)) <= 4)
    #expect(all.suffix(1000).allSatisfy { $0 == 0 })
  }

  @Test(
    "costs only its call once all of its sound has been played", arguments: [44100.0, 96000])
  func idle(_ rate: Double) throws {
    let sound = unsafe EndingSound.make(0.5, frames: 3000)
    defer { unsafe sound.deallocate() }
    var callback = try unsafe FormattedCallback(
      giveSound, context: sound, format: Self.format(rate), outputRate: 48000, outputChannels: 1,
      quality: .good)
    let samples = UnsafeMutablePointer<Float>.allocate(capacity: 256)
    let outputs = UnsafeMutablePointer<UnsafeMutablePointer<Float>>.allocate(capacity: 1)
    unsafe outputs.initialize(to: samples)
    let inputs = UnsafeMutablePointer<UnsafePointer<Float>>.allocate(capacity: 1)
    defer {
      unsafe inputs.deallocate()
      unsafe samples.deallocate()
      unsafe outputs.deallocate()
    }
    var given: [Int] = []
    var packets: [UInt64] = []
    for _ in 0..<100 {
      var call = unsafe RenderCall(
        inputs: inputs, inputCount: 0, outputs: outputs, outputCount: 1, frameCount: 256,
        frameTime: 0, isSilent: false, hostNanoseconds: 0)
      #expect(unsafe callback.render(&call) == 0)
      unsafe given.append(call.frameCount)
      packets.append(unsafe callback.converter.pointee.packetCount)
    }
    #expect(given.suffix(50).allSatisfy { $0 == 0 })
    #expect(packets.suffix(50).allSatisfy { $0 == packets[50] })
    #expect(unsafe sound.pointee.calls > 100)
  }
}
