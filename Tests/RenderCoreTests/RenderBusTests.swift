// SPDX-License-Identifier: MIT

import AudioModel
import OfflineOutput
import RenderCore
import Testing

/// A bus is a range of channels that a source, a callback or a capture uses.
@Suite("Buses of a renderer")
struct RenderBusTests {
  /// Renders a cycle and returns each channel's value; nil if its samples differ.
  private func levels(_ output: inout OfflineOutput) -> [Float?] {
    var levels: [Float?] = []
    output.render(frameCount: 64) { _, samples in
      let isOne = samples.indices.allSatisfy { samples[$0] == samples[0] }
      levels.append(isOne ? samples[0] : nil)
    }
    return levels
  }

  @Test("Each source plays on its own outputs, and sources that share outputs are added there")
  func sources() throws {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 6)
    var output = OfflineOutput(renderer: renderer)
    #expect(levels(&output) == [0, 0, 0, 0, 0, 0])
    try play(0.5, renderer.addSource(outputs: 2..<4))
    #expect(levels(&output) == [0, 0, 0.5, 0.5, 0, 0])
    try play(0.25, renderer.addSource(outputs: 3..<5))
    #expect(levels(&output) == [0, 0, 0.5, 0.75, 0.25, 0])
    try play(0.125, renderer.addSource(outputs: 5..<6))
    #expect(levels(&output) == [0, 0, 0.5, 0.75, 0.25, 0.125])
  }

  @Test("A source on all outputs and one on a bus, in either order", arguments: [true, false])
  func mixed(_ isWholeFirst: Bool) throws {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 3)
    // One channel goes to the first two outputs of three, its left and its right.
    if isWholeFirst { try play(0.5, renderer.addSource()) }
    try play(0.25, renderer.addSource(outputs: 1..<3))
    if !isWholeFirst { try play(0.5, renderer.addSource()) }
    var output = OfflineOutput(renderer: renderer)
    #expect(levels(&output) == [0.5, 0.75, 0.25])
  }

  @Test("A callback has the outputs and the inputs of its bus, and no others")
  func callbacks() {
    unsafe CallbackRecord.with(CallbackRecord(value: 1), CallbackRecord(value: 0.5)) { records in
      let renderer = Renderer(sampleRate: 48000, outputChannels: 4, inputChannels: 3)
      unsafe renderer.addCallback(recordCall, context: records[0], outputs: 2..<4, inputs: 1..<2)
      unsafe renderer.addCallback(recordCall, context: records[1], outputs: 0..<0)
      var output = OfflineOutput(renderer: renderer)
      var heard: [Float] = []
      output.render(inputs: [1, 10, 100].map { [Float](repeating: $0, count: 8) }) { _, samples in
        heard.append(samples[7])
      }
      #expect(heard == [0, 0, 1, 2])
      #expect(unsafe records[0].pointee.outputs == 2 && records[0].pointee.inputs == 1)
      #expect(unsafe records[0].pointee.inputSum == 80)
      #expect(unsafe records[1].pointee.outputs == 0 && records[1].pointee.inputs == 3)
    }
  }

  @Test("A callback with a format of its own fills the outputs of its bus")
  func formatted() throws {
    try unsafe CallbackRecord.with(CallbackRecord(value: 1)) { records in
      let renderer = Renderer(sampleRate: 48000, outputChannels: 4)
      let format = AudioStreamBasicDescription.linearPCM(
        sampleRate: 48000, channels: 1, bitsPerChannel: 32, flags: [.float, .packed])
      try unsafe renderer.addCallback(
        recordCall, context: records[0], format: format, outputs: 3..<4)
      var output = OfflineOutput(renderer: renderer)
      #expect(levels(&output) == [0, 0, 0, 1])
    }
  }

  @Test("Captures record the inputs, or the outputs, of their bus")
  func captures() throws {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 3, inputChannels: 4)
    try play(0.5, renderer.addSource(outputs: 1..<2))
    var brought = renderer.addCapture(inputs: 2..<4)
    var heard = renderer.addOutputCapture(outputs: 1..<3)
    var output = OfflineOutput(renderer: renderer)
    output.render(inputs: [1, 2, 3, 4].map { [Float](repeating: $0, count: 16) }) { _, _ in }
    func read(_ reader: inout CaptureReader) -> [Float] {
      var samples: [Float] = []
      while reader.read({ _, _, span in samples.append(span[0]) }) != .empty {}
      return samples
    }
    #expect(brought.channelCount == 2 && heard.channelCount == 2)
    #expect(read(&brought) == [3, 4])
    #expect(read(&heard) == [0.5, 0])
  }
}
