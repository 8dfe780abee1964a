// SPDX-License-Identifier: MIT

import Glibc
import OfflineOutput
import Testing

@testable import RenderCore

@Suite("A mixer's buses")
struct MixerControlTests {
  private static let fade = 240

  /// A renderer with two inputs, a mono bus and a stereo bus, and the outputs.
  private final class MixedSound {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 2, inputChannels: 3)
    let mixer: MixerControl
    private var output: OfflineOutput

    init() throws {
      output = OfflineOutput(renderer: renderer)
      let graph = renderer.graph
      mixer = graph.addMixer(buses: [1, 2], channelCount: 2)
      try graph.edit { [mixer] (edit) throws(ProcessingGraphError) in
        try edit.connect(graph.input, to: mixer.inputs[0], channelCount: 1)
        try edit.connect(graph.input, channel: 1, to: mixer.inputs[1])
        try edit.connect(mixer.node, to: graph.output)
      }
    }

    /// Renders constant inputs.
    func hear(_ inputs: [Float], frames: Int = 480, cycle: Int = 64) -> [[Float]] {
      var heard = [[Float]](repeating: [], count: 2)
      var left = frames
      while left > 0 {
        let count = min(cycle, left)
        output.render(inputs: inputs.map { [Float](repeating: $0, count: count) }) {
          channel, span in
          for index in span.indices { heard[channel].append(span[index]) }
        }
        left -= count
      }
      return heard
    }

    /// Changes buses, and returns the outputs after the fade.
    func settled(_ inputs: [Float], _ body: (inout [MixerBus]) -> Void) throws -> [Float] {
      try mixer.change(body)
      return hear(inputs).map { $0.last! }
    }
  }

  @Test("pass a stereo bus to the bit, and put a mono bus in the middle at -3 dB")
  func neutral() throws {
    let sound = try MixedSound()
    #expect(
      sound.hear([0, 0.3, -0.7]) == [
        .init(repeating: 0.3, count: 480), .init(repeating: -0.7, count: 480),
      ])
    let mono = sound.hear([1, 0, 0]).map { $0.last! }
    #expect(mono.allSatisfy { abs($0 - 0.70710678) < 1e-6 })
    #expect(sound.mixer.buses == [MixerBus(), MixerBus()])
  }

  @Test(
    "pan with constant power, or keep the nearer side of a stereo bus",
    arguments: [-1, -0.5, 0, 0.25, 1])
  func pan(_ pan: Float) throws {
    let sound = try MixedSound()
    let angle = (Double(pan) + 1) * .pi / 4
    let mono = try sound.settled([1, 0, 0]) { $0[0].pan = pan }
    #expect(abs(Double(mono[0]) - cos(angle)) < 1e-6 && abs(Double(mono[1]) - sin(angle)) < 1e-6)
    let stereo = try sound.settled([0, 1, 1]) { $0[1].pan = pan }
    #expect(abs(Double(stereo[0]) - min(1, 2.0.squareRoot() * cos(angle))) < 1e-6)
    #expect(abs(Double(stereo[1]) - min(1, 2.0.squareRoot() * sin(angle))) < 1e-6)
    if pan == 1 { #expect(mono[0] == 0 && stereo[0] == 0) }
  }

  @Test("have a gain, a polarity and a mute")
  func gains() throws {
    let sound = try MixedSound()
    #expect(try sound.settled([0, 0.5, 0.25]) { $0[1].gain = 2 } == [1, 0.5])
    #expect(try sound.settled([0, 0.5, 0.25]) { $0[1].isInverted = true } == [-1, -0.5])
    #expect(try sound.settled([0, 0.5, 0.25]) { $0[1].isMuted = true } == [0, 0])
    #expect(try sound.settled([0, 0.5, 0.25]) { $0[1] = MixerBus() } == [0.5, 0.25])
  }

  @Test("are silent while another one is soloed")
  func solo() throws {
    let sound = try MixedSound()
    #expect(try sound.settled([1, 0.5, 0.25]) { $0[1].isSoloed = true } == [0.5, 0.25])
    #expect(try sound.settled([0, 0.5, 0.25]) { $0[0].isSoloed = true } == [0.5, 0.25])
    #expect(try sound.settled([0, 0.5, 0.25]) { $0[1].isSoloed = false } == [0, 0])
  }

  @Test("have a matrix")
  func matrix() throws {
    let sound = try MixedSound()
    let swapped = try sound.settled([0, 0.5, 0.25]) { $0[1].matrix = [[0, 1], [-2, 0.5]] }
    #expect(swapped == [-0.5, 0.625])
    #expect(try sound.settled([0, 0.5, 0.25]) { $0[1].matrix = [[1]] } == [0.5, 0])
    #expect(try sound.settled([0, 0.5, 0.25]) { $0[1].matrix = nil } == [0.5, 0.25])
  }

  @Test(
    "fade to each change with the same bits for all cycles", arguments: [1, 16, 256, 1000, 8192])
  func fades(_ cycle: Int) throws {
    func heard(_ cycle: Int) throws -> [[Float]] {
      let sound = try MixedSound()
      let first = sound.hear([0.1, 0.5, 0.25], frames: 1000, cycle: cycle)
      try sound.mixer.change {
        $0[0].pan = -1
        $0[1].isMuted = true
        $0[1].matrix = [[0, 1], [1, 0]]
      }
      try sound.mixer.change { $0[1].isMuted = false }
      let second = sound.hear([0.1, 0.5, 0.25], frames: 3000, cycle: cycle)
      return zip(first, second).map(+)
    }
    let samples = try heard(cycle)
    let isSame = try samples == heard(64)
    #expect(isSame)
    for (channel, end) in zip(samples, [Float(0.25) + 0.1, 0.5]) {
      #expect(channel[1000 + Self.fade..<4000].allSatisfy { abs($0 - end) < 1e-6 })
      let steps = zip(channel, channel.dropFirst()).map { abs($1 - $0) }
      #expect(steps.max()! < 0.01)
    }
  }

  @Test("leave the graph with their mixer")
  func removal() throws {
    let sound = try MixedSound()
    _ = sound.hear([0, 1, 1])
    let graph = sound.renderer.graph
    try graph.edit { (edit) throws(ProcessingGraphError) in try edit.remove(sound.mixer) }
    #expect(sound.hear([0, 1, 1]).allSatisfy { $0.last == 0 })
    try graph.edit { _ in }
    #expect(throws: ProcessingGraphError.self) { try sound.mixer.change { $0[0].gain = 0 } }
    #expect(sound.mixer.buses[0].gain == 1)
  }
}
