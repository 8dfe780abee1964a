// SPDX-License-Identifier: MIT

import Glibc
import OfflineOutput
import RenderCore
import Synchronization
import TestKit
import Testing

/// A renderer with a monitor, and its output.
private struct MonitoredOutput: ~Copyable {
  let renderer: Renderer
  let monitor: MonitorControl
  var output: OfflineOutput

  /// - Parameter settles: renders silence first, so that the gains reach their targets.
  init(
    inputs: Int = 2, outputs: Int = 2, sampleRate: Double = 48000, settles: Bool = true,
    _ change: (inout MonitorSettings) -> Void = { _ in }
  ) {
    renderer = Renderer(sampleRate: sampleRate, outputChannels: outputs, inputChannels: inputs)
    var settings = MonitorSettings(inputs: inputs, outputs: outputs)
    change(&settings)
    monitor = renderer.addMonitor(settings)
    output = OfflineOutput(renderer: renderer)
    guard settles else { return }
    _ = pass([[Float]](repeating: .init(repeating: 0, count: 8192), count: inputs))
    _ = monitor.takeLevels()
  }

  /// Renders in cycles of `period` frames.
  mutating func pass(_ inputs: [[Float]], period: Int = 1024) -> [[Float]] {
    var result = [[Float]](repeating: [], count: renderer.outputChannels)
    for start in stride(from: 0, to: inputs[0].count, by: period) {
      let end = min(start + period, inputs[0].count)
      output.render(inputs: inputs.map { Array($0[start..<end]) }) { channel, samples in
        for index in samples.indices { result[channel].append(samples[index]) }
      }
    }
    return result
  }
}

/// A signal that ends a thread.
private final class EndMark: Sendable {
  let isReached = Atomic<Bool>(false)
}

/// Returns samples that identify their frames: all different, and within full scale.
private func ramp(_ count: Int, from first: Float = 0) -> [Float] {
  (0..<count).map { first + Float($0 + 1) / Float(1 << 20) }
}

/// Returns a change's progress (0 to 1) at a frame.
private func weight(_ frame: Int, of frames: Int) -> Float {
  let k = Double(frame + 1) / Double(frames)
  return Float(k * k * k * (10 - 15 * k + 6 * k * k))
}

private func sine(_ hertz: Double, amplitude: Float, frames: Int, rate: Double = 48000) -> [Float] {
  (0..<frames).map { amplitude * Float(sin(2 * Double.pi * hertz * Double($0) / rate)) }
}

@Suite("A monitor")
struct MonitorTests {
  @Test("passes each frame in its own cycle, to the bit", arguments: [1, 16, 64, 1000, 8192])
  func sameCycle(_ period: Int) {
    var monitored = MonitoredOutput()
    let (left, right) = (ramp(8192), ramp(8192, from: 0.5))
    let heard = monitored.pass([left, right], period: period)
    let isExact = heard == [left, right]
    #expect(isExact)
  }

  @Test("passes an input unaltered that shares its memory with an output", arguments: [0, 100])
  func sharedMemory(_ shift: Int) {
    let frames = 256
    let monitored = MonitoredOutput()
    let memory = UnsafeMutablePointer<Float>.allocate(capacity: 2 * frames + shift)
    defer { unsafe memory.deallocate() }
    unsafe memory.initialize(repeating: 0, count: 2 * frames + shift)
    var outputs = unsafe [memory, memory + frames]
    // Ports of one client that are connected to each other share memory; here they cross.
    var inputs = unsafe [UnsafePointer(memory + frames + shift), UnsafePointer(memory + shift)]
    let sound = ramp(2 * frames + shift)
    for index in sound.indices { unsafe memory[index] = sound[index] }
    let cycle = RenderCycle(frameCount: frames, frameTime: 0, hostNanoseconds: 0)
    unsafe inputs.withUnsafeMutableBufferPointer { inputs in
      unsafe outputs.withUnsafeMutableBufferPointer { outputs in
        unsafe monitored.renderer.context.render(
          cycle, from: RenderInputs(buffers: UnsafeBufferPointer(inputs), missedFrames: 0),
          into: outputs)
      }
    }
    let left = (0..<frames).map { unsafe memory[$0] }
    let right = (0..<frames).map { unsafe memory[frames + $0] }
    #expect(left == Array(sound[(frames + shift)...]))
    #expect(right == Array(sound[shift..<frames + shift]))
  }

  @Test("begins without a jump")
  func begins() {
    var monitored = MonitoredOutput(inputs: 1, outputs: 1, settles: false)
    let heard = monitored.pass([[Float](repeating: 1, count: 1000)])[0]
    // 5 ms are 240 frames.
    for frame in 0..<240 { #expect(abs(heard[frame] - weight(frame, of: 240)) < 1e-6) }
    #expect(heard[239...].allSatisfy { $0 == 1 })
  }

  @Test("spreads a change of gain over its frames, across cycles")
  func gainRamp() {
    var monitored = MonitoredOutput(inputs: 1, outputs: 1) { $0.rampSeconds = 0.01 }
    monitored.monitor.update { $0.gain = 0.5 }
    let heard = monitored.pass([[Float](repeating: 1, count: 1000)], period: 64)[0]
    for frame in 0..<480 {
      #expect(abs(heard[frame] - (1 - 0.5 * weight(frame, of: 480))) < 1e-6)
    }
    #expect(heard[480...].allSatisfy { $0 == 0.5 })
  }

  @Test("mutes its own sound and no other")
  func mute() {
    var monitored = MonitoredOutput(inputs: 2, outputs: 2) { $0.isMuted = true }
    let silent = monitored.pass([ramp(100), ramp(100)])
    #expect(silent.allSatisfy { $0.allSatisfy { $0 == 0 } })
    monitored.monitor.update { $0.isMuted = false }
    _ = monitored.pass([ramp(480), ramp(480)])
    let heard = monitored.pass([ramp(100), ramp(100)])
    #expect(heard[0] == ramp(100))
  }

  @Test("inverts the polarity of the inputs that are named")
  func polarity() {
    var monitored = MonitoredOutput { $0.invertedInputs = [1] }
    let heard = monitored.pass([ramp(100), ramp(100)])
    #expect(heard[0] == ramp(100))
    #expect(heard[1] == ramp(100).map { -$0 })
  }

  @Test("pans as a balance between the first two outputs")
  func pan() {
    var monitored = MonitoredOutput(inputs: 1, outputs: 3) { $0.pan = -0.75 }
    let heard = monitored.pass([[1, 0.5]])
    #expect(heard == [[1, 0.5], [0.25, 0.125], [1, 0.5]])
  }

  @Test("routes by its matrix, and adds where several inputs meet")
  func matrix() {
    var monitored = MonitoredOutput(inputs: 3, outputs: 2) {
      $0.crosspoints = [[0, 0.5, 0.25], [1]]
      $0.gain = 2
    }
    let heard = monitored.pass([[0.25], [0.5], [-1]])
    #expect(heard == [[0], [0.5]])
  }

  @Test("distributes inputs to fewer or more outputs by its default settings")
  func firstRouting() {
    #expect(MonitorSettings(inputs: 1, outputs: 2).crosspoints == [[1], [1]])
    #expect(MonitorSettings(inputs: 3, outputs: 2).crosspoints == [[1, 0, 1], [0, 1, 0]])
    #expect(MonitorSettings(inputs: 2, outputs: 3).crosspoints == [[1, 0], [0, 1], [0, 0]])
  }

  @Test("treats NaN as a gain of 0")
  func noNumber() {
    var monitored = MonitoredOutput(inputs: 1, outputs: 1) {
      $0.crosspoints = [[.nan]]
      $0.rampSeconds = .nan
      $0.highPassHertz = .nan
    }
    #expect(monitored.pass([[1, 1, 1]])[0] == [0, 0, 0])
  }

  @Test("adds its sound to that of a render callback")
  func withCallback() {
    var monitored = MonitoredOutput(inputs: 1, outputs: 1)
    unsafe monitored.renderer.addCallback(
      { _, call in
        for frame in unsafe 0..<call.pointee.frameCount {
          unsafe call.pointee.outputs[0][frame] = 0.25
        }
        return 0
      }, context: nil)
    #expect(monitored.pass([[0.5, -0.25]])[0] == [0.75, 0])
  }

  @Test("takes settings whole while another thread changes them")
  func concurrentChanges() {
    var monitored = MonitoredOutput {
      $0.rampSeconds = 0
      $0.crosspoints = [[1, 1], [1, 1]]
    }
    let monitor = monitored.monitor
    let end = EndMark()
    let thread = JoinableThread {
      var turn = 0
      while !end.isReached.load(ordering: .acquiring) {
        turn += 1
        let gain: Float = turn % 2 == 0 ? 1 : 0.25
        monitor.update { $0.crosspoints = [[gain, gain], [gain, gain]] }
      }
    }
    let ones = [Float](repeating: 1, count: 16)
    _ = monitored.pass([ones, ones])
    var seen: Set<Float> = []
    var isWhole = true
    var passes = 0
    // While many tests run, the other thread may get no processor for a long time.
    while passes < 20_000 || (seen.count < 2 && passes < 5_000_000) {
      passes += 1
      let heard = monitored.pass([ones, ones])
      isWhole = isWhole && heard[0] == heard[1] && heard[0].allSatisfy { $0 == 2 || $0 == 0.5 }
      seen.insert(heard[0][0])
    }
    end.isReached.store(true, ordering: .releasing)
    thread.join()
    #expect(isWhole)
    #expect(seen == [2, 0.5])
  }

  @Test("is silent once it is removed")
  func removed() {
    var monitored = MonitoredOutput(inputs: 1, outputs: 1)
    monitored.renderer.remove(monitored.monitor)
    #expect(monitored.pass([[1, 1]])[0] == [0, 0])
  }

  @Test("measures the inputs as received and the outputs as played")
  func levels() {
    var monitored = MonitoredOutput { $0.gain = 0.5 }
    _ = monitored.pass([
      sine(1000, amplitude: 0.5, frames: 4800), [Float](repeating: -0.25, count: 4800),
    ])
    let levels = monitored.monitor.takeLevels()
    #expect(abs(levels.inputs[0].peak - 0.5) < 1e-4)
    #expect(abs(levels.inputs[0].rootMeanSquare - 0.5 / Float(2).squareRoot()) < 1e-4)
    #expect(levels.inputs[1] == MonitorLevel(peak: 0.25, rootMeanSquare: 0.25, frameCount: 4800))
    #expect(levels.outputs[1] == MonitorLevel(peak: 0.125, rootMeanSquare: 0.125, frameCount: 4800))
    #expect(levels.limiterGain == 1)
    #expect(monitored.monitor.takeLevels().outputs[1] == MonitorLevel())
  }

  @Test("measures the same levels in parts as at once")
  func levelsInParts() {
    let sound = sine(997, amplitude: 0.5, frames: 4800)
    func levels(_ parts: [Range<Int>]) -> MonitorLevels {
      var monitored = MonitoredOutput(inputs: 1, outputs: 1)
      let all = parts.map { part in
        _ = monitored.pass([Array(sound[part])])
        return monitored.monitor.takeLevels()
      }
      return all.dropFirst().reduce(into: all[0]) { $0.add($1) }
    }
    let whole = levels([0..<4800])
    for parts in [[0..<100, 100..<100, 100..<4800], [0..<0, 0..<4799, 4799..<4800]] {
      let sum = levels(parts)
      #expect(sum.inputs[0].peak == whole.inputs[0].peak)
      #expect(sum.outputs[0].frameCount == 4800)
      #expect(abs(sum.outputs[0].rootMeanSquare - whole.outputs[0].rootMeanSquare) < 1e-6)
    }
  }

  @Test(
    "measures again after samples that are not finite, or too large to square",
    arguments: [Float.nan, .infinity, -.infinity, 1e30, .greatestFiniteMagnitude])
  func levelsAgain(_ bad: Float) {
    var monitored = MonitoredOutput(inputs: 1, outputs: 1)
    let good = [Float](repeating: 0.25, count: 256)
    _ = monitored.pass([good])
    _ = monitored.pass([good + [bad] + good], period: 171)
    let mixed = monitored.monitor.takeLevels()
    #expect((0...0.25).contains(mixed.inputs[0].rootMeanSquare))
    for _ in 0..<2 {
      _ = monitored.pass([good])
      let levels = monitored.monitor.takeLevels()
      let level = MonitorLevel(peak: 0.25, rootMeanSquare: 0.25, frameCount: 256)
      #expect(levels.inputs[0] == level && levels.outputs[0] == level)
    }
  }

  @Test("delivers its output to a capture of the outputs, with its time")
  func outputCapture() {
    var monitored = MonitoredOutput(inputs: 1, outputs: 2, settles: false) { $0.rampSeconds = 0 }
    _ = monitored.pass([[0]])
    var reader = monitored.renderer.addOutputCapture(capacityFrames: 256)
    monitored.output.skip(frameCount: 10)
    let heard = monitored.pass([ramp(100)])
    monitored.output.skip(frameCount: 7)
    _ = monitored.pass([ramp(200)])
    var samples = [[Float]](repeating: [], count: 2)
    var items: [CaptureItem] = []
    while true {
      let item = reader.read { _, channel, span in
        for index in span.indices { samples[channel].append(span[index]) }
      }
      if item == .empty { break }
      items.append(item)
    }
    #expect(items.contains(.discontinuity(.missed(frames: 7))))
    #expect(Array(samples[0].prefix(100)) == heard[0])
    #expect(Array(samples[1].prefix(100)) == heard[1])
    #expect(reader.counters.overrunFrames == 44)
    monitored.renderer.remove(reader)
    _ = monitored.pass([ramp(100)])
    #expect(reader.counters.capturedFrames == 256)
  }
}

@Suite("A monitor's high-pass")
struct MonitorHighPassTests {
  /// Returns the gain of a steady sine, in decibels.
  private func decibels(
    _ hertz: Double, corner: Double, rate: Double = 48000
  ) -> Double {
    var monitored = MonitoredOutput(inputs: 1, outputs: 1, sampleRate: rate) {
      $0.highPassHertz = corner
    }
    let frames = Int(rate)
    let heard = monitored.pass([sine(hertz, amplitude: 0.5, frames: 2 * frames, rate: rate)])[0]
    let power = heard[frames...].reduce(0.0) { $0 + Double($1) * Double($1) } / Double(frames)
    return 10 * log10(power / 0.125)
  }

  /// Returns the magnitude of a second-order Butterworth high-pass by the analogue formula, whose frequencies the
  /// bilinear transform has warped.
  private func butterworth(_ hertz: Double, corner: Double, rate: Double = 48000) -> Double {
    let ratio = tan(Double.pi * corner / rate) / tan(Double.pi * hertz / rate)
    return -10 * log10(1 + pow(ratio, 4))
  }

  @Test(
    "has the response of a second-order Butterworth filter",
    arguments: [(20.0, 80.0), (80, 80), (160, 80), (1000, 80), (10, 20), (5000, 400)])
  func response(_ hertz: Double, _ corner: Double) {
    #expect(abs(decibels(hertz, corner: corner) - butterworth(hertz, corner: corner)) < 0.02)
  }

  @Test("has its corner at the output's rate", arguments: [44100.0, 96000])
  func otherRates(_ rate: Double) {
    #expect(abs(decibels(100, corner: 100, rate: rate) + 3.0103) < 0.02)
  }

  @Test("follows the output to another rate")
  func rateChange() {
    var monitored = MonitoredOutput(inputs: 1, outputs: 1) { $0.highPassHertz = 100 }
    monitored.renderer.sampleRate = 96000
    let heard = monitored.pass([sine(100, amplitude: 0.5, frames: 192_000, rate: 96000)])[0]
    let power = heard[96000...].reduce(0.0) { $0 + Double($1) * Double($1) } / 96000
    #expect(abs(10 * log10(power / 0.125) + 3.0103) < 0.02)
  }

  @Test("adds no frame: an impulse's first frame is where it was")
  func impulse() {
    var monitored = MonitoredOutput(inputs: 1, outputs: 1) { $0.highPassHertz = 80 }
    var input = [Float](repeating: 0, count: 256)
    input[100] = 1
    let heard = monitored.pass([input], period: 64)[0]
    #expect(heard[..<100].allSatisfy { $0 == 0 })
    #expect(heard[100] > 0.98)
  }

  @Test("comes and goes without a jump")
  func switching() {
    var monitored = MonitoredOutput(inputs: 1, outputs: 1)
    // The high-pass removes a steady offset completely.
    let step = [Float](repeating: 0.5, count: 9600)
    var heard = monitored.pass([step])[0]
    monitored.monitor.update { $0.highPassHertz = 80 }
    heard += monitored.pass([step])[0]
    #expect(abs(heard[19199]) < 1e-4)
    monitored.monitor.update { $0.highPassHertz = nil }
    heard += monitored.pass([step])[0]
    #expect(heard[28799] == 0.5)
    #expect(zip(heard, heard.dropFirst()).allSatisfy { abs($1 - $0) < 0.01 })
  }

  @Test("recovers from samples that are not finite")
  func notANumber() {
    var monitored = MonitoredOutput(inputs: 1, outputs: 1) { $0.highPassHertz = 80 }
    _ = monitored.pass([[.nan, .infinity]])
    let heard = monitored.pass([sine(1000, amplitude: 0.5, frames: 4800)])[0]
    #expect(heard.allSatisfy { $0.isFinite })
    #expect(heard.contains { $0 > 0.49 })
  }
}

@Suite("A monitor's limiter")
struct MonitorLimiterTests {
  @Test("changes no bit of sound within its limit")
  func within() {
    var monitored = MonitoredOutput(inputs: 1, outputs: 1) { $0.limit = 0.5 }
    let input = sine(1000, amplitude: 0.5, frames: 4800).map { min(max($0, -0.5), 0.5) }
    let isUnchanged = monitored.pass([input])[0] == input
    #expect(isUnchanged)
    #expect(monitored.monitor.takeLevels().limiterGain == 1)
  }

  @Test("passes no sample above its limit, from the first frame on", arguments: [16, 1024])
  func ceiling(_ period: Int) {
    var monitored = MonitoredOutput { $0.limit = 0.7 }
    var random = SplitMix(state: 7)
    let noise = (0..<48000).map { _ in Float.random(in: -4...4, using: &random) }
    let heard = monitored.pass([noise, noise.map { $0 / 3 }], period: period)
    #expect(heard.allSatisfy { $0.allSatisfy { $0.magnitude <= 0.7 } })
    let levels = monitored.monitor.takeLevels()
    #expect(levels.limiterGain < 0.2)
    #expect(levels.outputs[0].peak <= 0.7)
  }

  @Test("attenuates all outputs equally, and recovers")
  func linked() {
    var monitored = MonitoredOutput { $0.limit = 0.5 }
    let loud: [Float] = [1]
    let soft: [Float] = [0.25]
    #expect(monitored.pass([loud, soft]) == [[0.5], [0.125]])
    // The gain recovers by 63 % in 0.1 s.
    let quiet = [Float](repeating: 0.25, count: 4800)
    let heard = monitored.pass([quiet, quiet])
    #expect(abs(heard[1][4799] - 0.25 * (1 - 0.5 * 0.3679)) < 0.001)
    _ = monitored.pass([[Float]](repeating: .init(repeating: 0.25, count: 96000), count: 2))
    let isUnchanged = monitored.pass([quiet, quiet])[0] == quiet
    #expect(isUnchanged)
  }

  @Test("limits the sum of all sounds, and replaces NaN by silence")
  func everything() {
    var monitored = MonitoredOutput(inputs: 1, outputs: 1) { $0.limit = 1 }
    unsafe monitored.renderer.addCallback(
      { _, call in
        for frame in unsafe 0..<call.pointee.frameCount {
          unsafe call.pointee.outputs[0][frame] = 3
        }
        return 0
      }, context: nil)
    let heard = monitored.pass([[0, 0, 1, .nan]])[0]
    #expect(heard[..<3].allSatisfy { $0 <= 1 && $0 > 0.5 })
    #expect(heard[3] == 0)
  }
}
