// SPDX-License-Identifier: MIT

import AudioModel
import Glibc
import OfflineOutput
import RenderCore
import Testing

/// A test callback's state, its answers, and the arguments of its calls.
@safe
private struct Generator {
  /// The tone's cycles per frame; 0 for the ramp of integers.
  var frequency = 0.0
  var bufferCount = 0
  var inputCount = 0
  /// Frames rendered so far, and calls whose sample time was not this number.
  var frames = 0
  var lateTimes = 0
  var calls = 0
  /// The most frames that one call renders.
  var limit = Int.max
  var status: Int32 = 0
  var saysSilent = false
  var ownBuffer: UnsafeMutablePointer<Float>?
}

/// Renders 16-bit stereo frames into one buffer: the frame's number, and its negative.
@_noLocks
private func giveIntegers(
  _ context: UnsafeMutableRawPointer?, _ call: UnsafeMutablePointer<RenderCall>
) -> Int32 {
  guard let generator = unsafe context?.assumingMemoryBound(to: Generator.self) else { return -1 }
  unsafe note(generator, call)
  let count = unsafe min(call.pointee.frameCount, generator.pointee.limit)
  if let own = unsafe generator.pointee.ownBuffer {
    unsafe call.pointee.outputs[0] = unsafe own
  }
  let samples = unsafe UnsafeMutableRawPointer(call.pointee.outputs[0]).assumingMemoryBound(
    to: Int16.self)
  for frame in 0..<count {
    let number = unsafe Int16(truncatingIfNeeded: (generator.pointee.frames + frame) % 30_000)
    unsafe samples[2 * frame] = number
    unsafe samples[2 * frame + 1] = -number
  }
  unsafe call.pointee.frameCount = count
  unsafe call.pointee.isSilent = unsafe generator.pointee.saysSilent
  if unsafe generator.pointee.status == 0 { unsafe generator.pointee.frames += count }
  return unsafe generator.pointee.status
}

/// Renders a tone as floats, one buffer a channel, the second at half the level. (The compiler cannot check the
/// sine function.)
private func giveTone(
  _ context: UnsafeMutableRawPointer?, _ call: UnsafeMutablePointer<RenderCall>
) -> Int32 {
  guard let generator = unsafe context?.assumingMemoryBound(to: Generator.self) else { return -1 }
  unsafe note(generator, call)
  let count = unsafe call.pointee.frameCount
  for channel in unsafe 0..<call.pointee.outputCount {
    let samples = unsafe call.pointee.outputs[channel]
    for frame in 0..<count {
      let phase =
        unsafe 2 * Double.pi * generator.pointee.frequency
        * Double(generator.pointee.frames + frame)
      unsafe samples[frame] = Float(0.5 * sin(phase) / Double(channel + 1))
    }
  }
  unsafe generator.pointee.frames += count
  return 0
}

@_noLocks
private func note(
  _ generator: UnsafeMutablePointer<Generator>, _ call: UnsafeMutablePointer<RenderCall>
) {
  unsafe generator.pointee.calls += 1
  unsafe generator.pointee.bufferCount = unsafe call.pointee.outputCount
  unsafe generator.pointee.inputCount = unsafe call.pointee.inputCount
  if unsafe Int(call.pointee.frameTime) != generator.pointee.frames {
    unsafe generator.pointee.lateTimes += 1
  }
}

@Suite("A render callback with a format of its own")
struct FormattedCallbackTests {
  private static let integers = AudioStreamBasicDescription.linearPCM(
    sampleRate: 48000, channels: 2, bitsPerChannel: 16, flags: [.signedInteger, .packed])

  private static func planarFloats(_ rate: Double, _ channels: UInt32)
    -> AudioStreamBasicDescription
  {
    .linearPCM(
      sampleRate: rate, channels: channels, bitsPerChannel: 32,
      flags: [.float, .packed, .nonInterleaved])
  }

  private func with(
    _ generator: Generator, _ body: (UnsafeMutablePointer<Generator>) throws -> Void
  ) rethrows {
    let memory = UnsafeMutablePointer<Generator>.allocate(capacity: 1)
    unsafe memory.initialize(to: generator)
    defer { unsafe memory.deallocate() }
    try unsafe body(memory)
  }

  /// Renders cycles of these lengths and returns the samples of both channels.
  private func rendered(_ output: inout OfflineOutput, _ cycles: [Int]) -> [[Float]] {
    var heard: [[Float]] = [[], []]
    for frames in cycles {
      output.render(frameCount: frames) { channel, samples in
        for index in samples.indices { heard[channel].append(samples[index]) }
      }
    }
    return heard
  }

  @Test("Interleaved integers become floats in two buffers, each frame once, for any cycle length")
  func integers() throws {
    try unsafe with(Generator()) { generator in
      let renderer = Renderer(sampleRate: 48000, outputChannels: 2)
      try unsafe renderer.addCallback(giveIntegers, context: generator, format: Self.integers)
      var output = OfflineOutput(renderer: renderer)
      let cycles = [64, 1, 333, 1024, 1025, 8192, 16, 4000]
      let heard = rendered(&output, cycles)
      let total = cycles.reduce(0, +)
      let expected = (0..<total).map { Float($0) / 32768 }
      #expect(heard[0] == expected)
      #expect(heard[1] == expected.map { -$0 })
      #expect(unsafe generator.pointee.frames == total)
      #expect(unsafe generator.pointee.lateTimes == 0)
      #expect(unsafe generator.pointee.bufferCount == 1 && generator.pointee.inputCount == 0)
    }
  }

  @Test(
    "At another rate it is resampled without a shift: a tone is exact within -100 dB",
    arguments: [8000.0, 44100, 96000], [64, 1000])
  func resampled(_ rate: Double, _ period: Int) throws {
    try unsafe with(Generator(frequency: 997 / rate)) { generator in
      let renderer = Renderer(sampleRate: 48000, outputChannels: 2)
      try unsafe renderer.addCallback(
        giveTone, context: generator, format: Self.planarFloats(rate, 2))
      var output = OfflineOutput(renderer: renderer)
      let heard = rendered(&output, Array(repeating: period, count: 48000 / period))
      // The filter rings from the silence before the first frame.
      var worst = 0.0
      for frame in 4800..<heard[0].count {
        let tone = 0.5 * sin(2 * Double.pi * 997 / 48000 * Double(frame))
        worst = max(worst, abs(Double(heard[0][frame]) - tone))
        worst = max(worst, abs(Double(heard[1][frame]) - tone / 2))
      }
      #expect(worst < 1e-5)
      #expect(unsafe generator.pointee.lateTimes == 0 && generator.pointee.bufferCount == 2)
      // The renderer requests at most the filter's delay and one call's frames ahead.
      let ahead = unsafe Double(generator.pointee.frames) - Double(heard[0].count) * rate / 48000
      #expect(ahead >= 0 && ahead < 1024 * max(1, rate / 48000) + Double(period) * rate / 48000)
    }
  }

  @Test(
    "One channel plays on both outputs, and no frame is lost when the output's rate changes")
  func changes() throws {
    try unsafe with(Generator(frequency: 997.0 / 44100)) { generator in
      let renderer = Renderer(sampleRate: 48000, outputChannels: 2)
      try unsafe renderer.addCallback(
        giveTone, context: generator, format: Self.planarFloats(44100, 1))
      var output = OfflineOutput(renderer: renderer)
      let before = rendered(&output, Array(repeating: 256, count: 40))
      #expect(before[0] == before[1])
      var seconds = Double(before[0].count) / 48000
      var last = before[0][before[0].count - 1]
      for rate in [44100.0, 96000, 88200, 44100] {
        renderer.sampleRate = rate
        let heard = rendered(&output, Array(repeating: 256, count: 100))
        // Rising through zero 997 times a second, once it has begun.
        let tail = heard[0].suffix(20_000)
        let rises = zip(tail, tail.dropFirst()).count { $0 <= 0 && $1 > 0 }
        #expect(abs(Double(rises) - 997 * Double(tail.count) / rate) <= 2)
        let peak = tail.max() ?? 0
        #expect(abs(peak - 0.5) < 0.01)
        // The tone goes on: no step is longer than it makes in the frame that may lie between two rates.
        var longest: Float = 0
        for value in heard[0] {
          longest = max(longest, abs(value - last))
          last = value
        }
        #expect(Double(longest) < 2.1 * Double.pi * 997 / 44100)
        seconds += Double(heard[0].count) / rate
        let ahead = unsafe Double(generator.pointee.frames) - seconds * 44100
        #expect(ahead < 2300, "frames that have been given and not heard at \(rate) Hz")
      }
    }
  }

  @Test("Frames that it does not render are silent, and it is not called again in that cycle")
  func less() throws {
    try unsafe with(Generator(limit: 20)) { generator in
      let renderer = Renderer(sampleRate: 48000, outputChannels: 2)
      let handle = try unsafe renderer.addCallback(
        giveIntegers, context: generator, format: Self.integers)
      var output = OfflineOutput(renderer: renderer)
      let heard = rendered(&output, [64, 64])
      let ramp: [Float] = (0..<40).map { Float($0) / 32768 }
      let silence = [Float](repeating: 0, count: 44)
      let parts: [[Float]] = [Array(ramp[..<20]), silence, Array(ramp[20...]), silence]
      #expect(heard[0] == parts.flatMap(\.self))
      #expect(unsafe generator.pointee.calls == 2)
      unsafe generator.pointee.limit = .max
      unsafe generator.pointee.status = -50
      #expect(rendered(&output, [64])[0].allSatisfy { $0 == 0 })
      #expect(handle.failedCycleCount == 1 && handle.lastStatus == -50)
      unsafe generator.pointee.status = 0
      unsafe generator.pointee.saysSilent = true
      #expect(rendered(&output, [64])[1].allSatisfy { $0 == 0 })
      unsafe generator.pointee.saysSilent = false
      // Silent frames count as rendered; frames of a call that returned an error do not.
      let next: [Float] = [104 / 32768, 105 / 32768]
      #expect(rendered(&output, [2])[0] == next)
    }
  }

  @Test("It may return its own memory instead of the buffer")
  func ownMemory() throws {
    let own = UnsafeMutablePointer<Float>.allocate(capacity: 1024)
    defer { unsafe own.deallocate() }
    try unsafe with(Generator(ownBuffer: own)) { generator in
      let renderer = Renderer(sampleRate: 48000, outputChannels: 2)
      try unsafe renderer.addCallback(giveIntegers, context: generator, format: Self.integers)
      var output = OfflineOutput(renderer: renderer)
      let heard = rendered(&output, [100, 3000])
      #expect(heard[0] == (0..<3100).map { Float($0) / 32768 })
    }
  }

  @Test(
    "An unsupported format is refused",
    arguments: [
      AudioStreamBasicDescription.linearPCM(
        sampleRate: 48000, channels: 2, bitsPerChannel: 16,
        flags: [.signedInteger, .packed, .nonInterleaved]),
      .linearPCM(sampleRate: 48000, channels: 2, bitsPerChannel: 8, flags: [.packed]),
      .linearPCM(
        sampleRate: 0, channels: 2, bitsPerChannel: 16, flags: [.signedInteger, .packed]),
      .linearPCM(
        sampleRate: 48000, channels: 65, bitsPerChannel: 16, flags: [.signedInteger, .packed]),
      AudioStreamBasicDescription(
        sampleRate: 44100, formatID: .mpegLayer3, formatFlags: [], bytesPerPacket: 0,
        framesPerPacket: 1152, bytesPerFrame: 0, channelsPerFrame: 2, bitsPerChannel: 0),
    ])
  func refused(_ format: AudioStreamBasicDescription) {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 2)
    #expect(throws: AudioConverterError.self) {
      try unsafe renderer.addCallback(giveIntegers, context: nil, format: format)
    }
  }
}
