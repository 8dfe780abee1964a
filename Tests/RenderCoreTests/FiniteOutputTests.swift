// SPDX-License-Identifier: MIT

import OfflineOutput
import RenderCore
import Testing

@Suite("A sample that is not finite")
struct FiniteOutputTests {
  private static let strange: [Float] = [
    0.5, .nan, -0.25, .infinity, -.infinity, -.nan, .greatestFiniteMagnitude,
    .leastNonzeroMagnitude,
  ]
  private static let finite: [Float] = strange.map { $0.isFinite ? $0 : 0 }

  /// Renders cycles in which a callback writes the strange samples to the second of two outputs.
  private static func render(
    cycles: Int, in renderer: Renderer, _ body: (_ channel: Int, _ samples: [Float]) -> Void
  ) {
    let samples = UnsafeMutablePointer<Float>.allocate(capacity: strange.count)
    defer { unsafe samples.deallocate() }
    unsafe samples.initialize(from: strange, count: strange.count)
    let handle = unsafe renderer.addCallback(
      { context, call in
        guard let samples = unsafe context?.assumingMemoryBound(to: Float.self) else { return -1 }
        unsafe call.pointee.outputs[1].update(from: samples, count: call.pointee.frameCount)
        return 0
      }, context: samples)
    var output = OfflineOutput(renderer: renderer)
    for _ in 0..<cycles {
      output.render(frameCount: strange.count) { channel, span in
        body(channel, span.indices.map { span[$0] })
      }
    }
    withExtendedLifetime(handle) {}
  }

  @Test("becomes silence at the outputs, is counted, and does not affect its neighbours")
  func outputs() {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 2)
    var heard: [[Float]] = [[], []]
    Self.render(cycles: 3, in: renderer) { heard[$0] += $1 }
    #expect(heard[0].allSatisfy { $0 == 0 })
    #expect(heard[1] == Self.finite + Self.finite + Self.finite)
    #expect(renderer.telemetry.nonFiniteSamples == 12)
  }

  @Test("is found at every frame of a cycle")
  func places() {
    for frameCount in [1, 15, 16, 17, 40, 64] {
      for place in 0..<2 * frameCount {
        let renderer = Renderer(sampleRate: 48000, outputChannels: 2, inputChannels: 2)
        let monitor = renderer.addMonitor()
        var inputs = Array(repeating: [Float](repeating: 0.5, count: frameCount), count: 2)
        inputs[place / frameCount][place % frameCount] = place % 3 == 0 ? .nan : -.infinity
        var output = OfflineOutput(renderer: renderer)
        output.render(inputs: inputs) { _, samples in
          for index in samples.indices { #expect(samples[index].isFinite) }
        }
        #expect(renderer.telemetry.nonFiniteSamples == 1)
        withExtendedLifetime(monitor) {}
      }
    }
  }

  @Test("is not confused with finite samples whose sum overflows")
  func hugeSamples() {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 2, inputChannels: 2)
    let monitor = renderer.addMonitor()
    var output = OfflineOutput(renderer: renderer)
    let huge = [Float](repeating: .greatestFiniteMagnitude, count: 64)
    for _ in 0..<20 {
      output.render(inputs: [huge, huge.map(-)]) { channel, samples in
        for index in samples.indices { #expect(samples[index].isFinite, "\(channel)") }
      }
    }
    output.render(inputs: [huge, huge.map(-)]) { channel, samples in
      for index in samples.indices { #expect(samples[index] == (channel == 0 ? 1 : -1) * huge[0]) }
    }
    #expect(renderer.telemetry.nonFiniteSamples == 0)
    withExtendedLifetime(monitor) {}
  }

  @Test(
    "differs from one above full scale, which is counted and passes", arguments: [1, 64, 1000])
  func clipped(_ period: Int) {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 2, inputChannels: 2)
    let monitor = renderer.addMonitor()
    var output = OfflineOutput(renderer: renderer)
    // A monitor fades in.
    for _ in 0..<10 {
      output.render(inputs: [[Float]](repeating: [Float](repeating: 0, count: 64), count: 2)) {
        _, _ in
      }
    }
    let loud: [Float] = (0..<1000).map { $0 % 10 == 3 ? -1.5 : $0 % 10 == 7 ? 1 : 0.5 }
    for measures in [false, true] {
      renderer.measuresPeaks = measures
      for start in stride(from: 0, to: 1000, by: period) {
        let cycle = Array(loud[start..<min(1000, start + period)])
        output.render(inputs: [cycle, cycle.map { $0 / 2 }]) { channel, samples in
          for index in samples.indices where channel == 0 {
            #expect(samples[index] == cycle[index])
          }
        }
      }
      #expect(renderer.clippedSampleCount == (measures ? 100 : 0))
    }
    withExtendedLifetime(monitor) {}
  }

  @Test("is silence for the meters and for captures of the outputs")
  func captures() {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 2)
    renderer.measuresPeaks = true
    var reader = renderer.addOutputCapture(capacityFrames: 64)
    Self.render(cycles: 1, in: renderer) { _, _ in }
    var captured: [[Float]] = [[], []]
    _ = reader.read { _, channel, span in
      captured[channel] += span.indices.map { span[$0] }
    }
    #expect(captured[1] == Self.finite)
    #expect(renderer.takePeaks() == [0, .greatestFiniteMagnitude])
  }

  @Test("is silence in a monitored input, and the samples after it sound")
  func monitor() {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 1, inputChannels: 1)
    let monitor = renderer.addMonitor()
    monitor.update { $0.highPassHertz = 80 }
    var output = OfflineOutput(renderer: renderer)
    let tone = [Float](repeating: 0.5, count: 480)
    for input in [tone, [Float](repeating: .nan, count: 480), tone, tone] {
      output.render(inputs: [input]) { _, samples in
        for index in samples.indices { #expect(samples[index].isFinite) }
      }
    }
    #expect(renderer.telemetry.nonFiniteSamples == 480)
    var loudest: Float = 0
    output.render(inputs: [tone.map { -$0 }]) { _, samples in
      for index in samples.indices { loudest = max(loudest, samples[index].magnitude) }
    }
    #expect(loudest > 0.1)
  }
}
