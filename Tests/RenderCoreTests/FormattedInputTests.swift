// SPDX-License-Identifier: MIT

import AudioModel
import Glibc
import OfflineOutput
import RenderCore
import TestKit
import Testing

@Suite("An input callback with a format of its own")
struct FormattedInputTests {
  /// Packed, signed, in either order of bytes, one buffer or one for each channel.
  private static let formats: [AudioStreamBasicDescription] =
    [(8, false), (16, false), (24, false), (32, false), (32, true), (64, true)].flatMap {
      (bits: UInt32, isFloat: Bool) in
      ([[], [.bigEndian], [.nonInterleaved], [.nonInterleaved, .bigEndian]] as [AudioFormatFlags])
        .map { flags in
          .linearPCM(
            sampleRate: 48000, channels: 2, bitsPerChannel: bits,
            flags: flags.union([.packed, isFloat ? .float : .signedInteger]))
        }
    }

  private static func floats(
    _ rate: Double, _ channels: UInt32, _ flags: AudioFormatFlags = .nonInterleaved
  ) -> AudioStreamBasicDescription {
    .linearPCM(
      sampleRate: rate, channels: channels, bitsPerChannel: 32,
      flags: flags.union([.float, .packed]))
  }

  /// Returns a sample's value in a format, by a computation independent of the engine's.
  private static func expected(
    _ sample: Float, _ format: AudioStreamBasicDescription
  ) -> Double {
    if format.formatFlags.contains(.float) { return Double(sample) }
    if sample.isNaN { return 0 }
    let scale = pow(2, Double(format.bitsPerChannel - 1))
    let rounded = (Double(sample) * scale).rounded(.toNearestOrEven)
    return min(max(rounded, -scale), scale - 1) / scale
  }

  @Test("It receives every frame once, in each sample format and cycle length", arguments: formats)
  func everyFormat(_ format: AudioStreamBasicDescription) throws {
    var random = SplitMix(state: 5)
    let special: [Float] = [
      0, -0.0, 1, -1, 0x1p-8, -0x1p-8, 1.5 * 0x1p-7, -1.5 * 0x1p-15, 0.5 * 0x1p-23, 1.25, -7,
      .infinity, -.infinity, .nan, .leastNonzeroMagnitude, Float(1).nextDown, Float(-1).nextUp,
    ]
    let cycles = [64, 1, 333, 1024, 513, 8192]
    let total = cycles.reduce(0, +)
    let played = (0..<2).map { channel in
      (0..<total).map { frame in
        frame < special.count
          ? special[(frame + channel) % special.count]
          : Float.random(in: -1.1...1.1, using: &random)
      }
    }
    let listener = FrameListener(format, capacityFrames: total + 100)
    let renderer = Renderer(sampleRate: 48000, outputChannels: 0, inputChannels: 2)
    try unsafe renderer.addInputCallback(hearFrames, context: listener.context, format: format)
    var output = OfflineOutput(renderer: renderer)
    var start = 0
    for count in cycles {
      output.render(inputs: played.map { Array($0[start..<start + count]) })
      start += count
      #expect(listener.frameCount == start)
    }
    #expect(listener.calls.count == cycles.count && listener.wrongCallCount == 0)
    for channel in 0..<2 {
      let wanted = played[channel].map { Self.expected($0, format) }
      let isSame = zip(listener.values(channel), wanted).allSatisfy {
        $0 == $1 || $0.isNaN && $1.isNaN
      }
      #expect(isSame)
    }
  }

  @Test(
    "At another rate its input is resampled without a shift, and each call has its time",
    arguments: [8000.0, 16000, 44100, 96000, 192_000], [16, 1000, 8192])
  func resampled(_ rate: Double, _ period: Int) throws {
    let format = Self.floats(rate, 2)
    let listener = FrameListener(format, capacityFrames: 3 * Int(rate))
    let renderer = Renderer(sampleRate: 48000, outputChannels: 0, inputChannels: 2)
    try unsafe renderer.addInputCallback(hearFrames, context: listener.context, format: format)
    var output = OfflineOutput(renderer: renderer)
    var heldSeconds = 0.0
    let cycles = 72000 / period
    for cycle in 0..<cycles {
      let tone = (0..<period).map {
        Float(0.5 * sin(2 * Double.pi * 997 / 48000 * Double(cycle * period + $0)))
      }
      output.render(inputs: [tone, tone.map { $0 / 2 }])
      let given = Double(listener.frameCount) / rate
      heldSeconds = max(heldSeconds, Double((cycle + 1) * period) / 48000 - given)
    }
    let (left, right) = (listener.values(0), listener.values(1))
    var worst = 0.0
    // The filter rings from the silence before the first frame.
    for frame in Int(rate) / 10..<left.count {
      let tone = 0.5 * sin(2 * Double.pi * 997 / rate * Double(frame))
      worst = max(worst, abs(left[frame] - tone), abs(right[frame] - tone / 2))
    }
    #expect(worst < 1e-5)
    #expect(listener.wrongCallCount == 0)
    // No frame is held longer than 1400 frames of the lower rate take.
    #expect(heldSeconds < 1400 / min(rate, 48000), "\(heldSeconds * min(rate, 48000))")
    // The clock began with the first frame.
    let isInTime = listener.calls.allSatisfy {
      abs(Double($0.nanoseconds) - Double($0.frame) * 1e9 / rate) < 1000
    }
    #expect(isInTime && !listener.calls.isEmpty)
  }

  @Test("It keeps its rate when the input's rate changes, and back, and loses no frame")
  func changes() throws {
    let format = Self.floats(44100, 1)
    let listener = FrameListener(format, capacityFrames: 8 * 44100)
    let renderer = Renderer(sampleRate: 48000, outputChannels: 0, inputChannels: 1)
    try unsafe renderer.addInputCallback(hearFrames, context: listener.context, format: format)
    var output = OfflineOutput(renderer: renderer)
    var seconds = 0.0
    for rate in [48000.0, 44100, 96000, 44100, 48000] {
      renderer.sampleRate = rate
      let before = listener.frameCount
      for cycle in 0..<Int(rate) / 256 {
        output.render(inputs: [
          (0..<256).map { Float(0.5 * sin(2 * Double.pi * 997 / rate * Double(cycle * 256 + $0))) }
        ])
      }
      let heard = listener.values(0)[before...].suffix(40_000)
      #expect(heard.count == 40_000)
      let rises = zip(heard, heard.dropFirst()).count { $0 <= 0 && $1 > 0 }
      #expect(abs(Double(rises) - 997 * 40_000 / 44100) <= 1)
      let peak = heard.max() ?? 0
      #expect(abs(peak - 0.5) < 0.01)
      seconds += Double(Int(rate) / 256 * 256) / rate
      // The current resampler holds back at most 1400 frames; earlier ones are drained.
      #expect((-2...1400).contains(seconds * 44100 - Double(listener.frameCount)))
    }
    #expect(listener.wrongCallCount == 0)
    let isInTime = zip(listener.calls, listener.calls.dropFirst()).allSatisfy {
      $0.nanoseconds <= $1.nanoseconds
    }
    #expect(isInTime)
  }

  @Test(
    "It receives the requested channels of the requested inputs, beside other callbacks")
  func channels() throws {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 1, inputChannels: 3)
    let inputs: [[Float]] = [
      [Float](repeating: 0.1, count: 64), [Float](repeating: 0.5, count: 64),
      [Float](repeating: 0.25, count: 64),
    ]
    let wide = FrameListener(Self.floats(48000, 4, []), capacityFrames: 100)
    let mono = FrameListener(Self.floats(48000, 1), capacityFrames: 100)
    let pair = FrameListener(Self.floats(48000, 2), capacityFrames: 100)
    for (listener, channels, range) in [(wide, 4, nil), (mono, 1, 1..<3), (pair, 2, 2..<3)] {
      try unsafe renderer.addInputCallback(
        hearFrames, context: listener.context,
        format: Self.floats(
          48000, UInt32(channels),
          channels == 4 ? [] : .nonInterleaved), inputs: range)
    }
    unsafe renderer.addCallback(
      { _, call in
        unsafe call.pointee.outputs[0][0] = unsafe call.pointee.inputs[0][0]
        return 0
      }, context: nil)
    var output = OfflineOutput(renderer: renderer)
    var heard: [Float] = []
    output.render(inputs: inputs) { _, samples in heard = samples.indices.map { samples[$0] } }
    #expect((0..<4).map { wide.values($0)[63] } == [Double(Float(0.1)), 0.5, 0.25, 0])
    // Two channels are averaged into one; one channel is copied to both.
    #expect(mono.values(0) == [Double](repeating: 0.375, count: 64))
    #expect((0..<2).map { pair.values($0)[0] } == [0.25, 0.25])
    #expect(heard[0] == 0.1 && heard[1...].allSatisfy { $0 == 0 })
    // A cycle without inputs delivers silence.
    output.render(frameCount: 10) { _, _ in }
    #expect(mono.values(0)[64...] == [Double](repeating: 0, count: 10)[...])
    #expect([wide, mono, pair].allSatisfy { $0.frameCount == 74 && $0.wrongCallCount == 0 })
  }

  @Test("Its errors are counted, and it is called again until it is removed")
  func failing() throws {
    let format = Self.floats(48000, 1)
    let listener = FrameListener(format, capacityFrames: 1000)
    let renderer = Renderer(sampleRate: 48000, outputChannels: 0, inputChannels: 1)
    let handle = try unsafe renderer.addInputCallback(
      hearFrames, context: listener.context, format: format)
    var output = OfflineOutput(renderer: renderer)
    listener.status = -50
    output.render(inputs: [[Float](repeating: 1, count: 100)])
    #expect(handle.failedCycleCount == 1 && handle.lastStatus == -50)
    listener.status = 0
    output.render(inputs: [[Float](repeating: 1, count: 100)])
    #expect(handle.failedCycleCount == 1 && handle.lastStatus == 0)
    #expect(renderer.remove(handle))
    output.render(inputs: [[Float](repeating: 1, count: 100)])
    #expect(listener.frameCount == 200)
  }

  @Test(
    "An unsupported format is refused",
    arguments: [
      AudioStreamBasicDescription.linearPCM(
        sampleRate: 48000, channels: 2, bitsPerChannel: 8, flags: [.packed]),
      .linearPCM(sampleRate: 48000, channels: 2, bitsPerChannel: 20, flags: [.signedInteger]),
      .linearPCM(
        sampleRate: 48000, channels: 2, bitsPerChannel: 16, flags: [.float, .packed]),
      .linearPCM(
        sampleRate: 48000, channels: 2, bitsPerChannel: 16, bytesPerSample: 4,
        flags: [.signedInteger, .packed]),
      .linearPCM(
        sampleRate: 0, channels: 2, bitsPerChannel: 16, flags: [.signedInteger, .packed]),
      .linearPCM(
        sampleRate: 48000, channels: 65, bitsPerChannel: 16, flags: [.signedInteger, .packed]),
      .linearPCM(
        sampleRate: 10, channels: 1, bitsPerChannel: 16, flags: [.signedInteger, .packed]),
      AudioStreamBasicDescription(
        sampleRate: 44100, formatID: .mpegLayer3, formatFlags: [], bytesPerPacket: 0,
        framesPerPacket: 1152, bytesPerFrame: 0, channelsPerFrame: 2, bitsPerChannel: 0),
    ])
  func refused(_ format: AudioStreamBasicDescription) {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 0, inputChannels: 2)
    #expect(throws: AudioConverterError.self) {
      try unsafe renderer.addInputCallback(hearFrames, context: nil, format: format)
    }
  }
}
