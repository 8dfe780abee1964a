// SPDX-License-Identifier: MIT

import AudioModel
import Testing

@testable import RenderCore

@Suite("Channel map")
struct ChannelMapTests {
  /// Returns the outputs' samples for interleaved frames.
  private func mapped(
    _ frames: [[Float]], outputs: Int, layout: AudioChannelLayout? = nil, offset: Int = 0
  ) -> [[Float]] {
    let inputs = frames[0].count
    let map = ChannelMap(
      inputs: inputs, outputs: outputs, layout: layout)
    let room = frames.count + offset
    let buffers = UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>.allocate(
      capacity: outputs)
    for output in 0..<outputs {
      let samples = UnsafeMutablePointer<Float>.allocate(capacity: room)
      unsafe samples.initialize(repeating: 99, count: room)
      unsafe buffers.initializeElement(at: output, to: samples)
    }
    let interleaved = frames.flatMap { $0 }
    unsafe interleaved.withUnsafeBufferPointer {
      unsafe map.write($0.baseAddress!, frames: frames.count, to: buffers, at: offset)
    }
    let result = (0..<outputs).map { output in
      (offset..<room).map { unsafe buffers[output][$0] }
    }
    for output in 0..<outputs {
      if offset > 0 { #expect(unsafe buffers[output][offset - 1] == 99, "wrote before the offset") }
      unsafe buffers[output].deallocate()
    }
    unsafe buffers.deallocate()
    return result
  }

  @Test("Mono goes to the first two outputs and to no more")
  func mono() {
    #expect(mapped([[1], [2]], outputs: 1) == [[1, 2]])
    #expect(mapped([[1], [2]], outputs: 2, offset: 3) == [[1, 2], [1, 2]])
    #expect(mapped([[1], [2]], outputs: 4) == [[1, 2], [1, 2], [0, 0], [0, 0]])
  }

  @Test("Stereo goes one to one, and further outputs are silent")
  func stereo() {
    #expect(mapped([[1, 2], [3, 4]], outputs: 2, offset: 1) == [[1, 3], [2, 4]])
    #expect(mapped([[1, 2], [3, 4]], outputs: 3) == [[1, 3], [2, 4], [0, 0]])
  }

  @Test("As many channels as outputs go one to one")
  func six() {
    #expect(
      mapped([[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]], outputs: 6)
        == [[1, 7], [2, 8], [3, 9], [4, 10], [5, 11], [6, 12]])
  }

  @Test("Speakers are put into WAVE's order, whatever the layout's order is")
  func order() {
    // C L R Ls Rs LFE, as AAC has them.
    let aac = AudioChannelLayout(labels: [3, 1, 2, 5, 6, 4])
    let reversed = AudioChannelLayout(labels: [2, 1])
    let same = AudioChannelLayout(labels: [2, 2])
    #expect(
      mapped([[1, 2, 3, 4, 5, 6]], outputs: 6, layout: aac) == [[2], [3], [1], [6], [4], [5]])
    #expect(
      mapped([[1, 2]], outputs: 2, layout: reversed) == [[2], [1]])
    // Two channels have the same speaker, so the channels keep their order.
    #expect(
      mapped([[1, 2]], outputs: 2, layout: same) == [[1], [2]])
    // Sides before rears become WAVE's backs before sides.
    let frame: [[Float]] = [[1, 2, 3, 4, 5, 6, 7, 8]]
    let sides = AudioChannelLayout(labels: [1, 2, 3, 4, 5, 6, 33, 34])
    #expect(
      mapped(frame, outputs: 8, layout: sides)
        == [[1], [2], [3], [4], [7], [8], [5], [6]])
  }

  @Test("A downmix recognises the speakers in any order")
  func downmixOrder() {
    let third = Float(0.5).squareRoot()
    let scale = 1 + third
    let frames: [[Float]] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    let centreFirst = AudioChannelLayout(labels: [3, 1, 2])
    #expect(
      mapped(frames, outputs: 2, layout: centreFirst)
        == [[third / scale, 1 / scale, 0], [third / scale, 0, 1 / scale]])
  }

  @Test("5.1 to two outputs is the ITU downmix: centre and surrounds at -3 dB, no low frequencies")
  func surround() {
    let third = Float(0.5).squareRoot()
    let scale = 1 + 2 * third
    // L R C LFE Ls Rs, one at a time.
    let frames = (0..<6).map { channel in (0..<6).map { Float($0 == channel ? 1 : 0) } }
    let result = mapped(frames, outputs: 2)
    let left: [Float] = [1, 0, third, 0, third, 0].map { $0 / scale }
    let right: [Float] = [0, 1, third, 0, 0, third].map { $0 / scale }
    #expect(result == [left, right])
  }

  @Test("No downmix can clip", arguments: 1...8, 1...8)
  func neverClips(_ inputs: Int, _ outputs: Int) {
    let loudest = [[Float](repeating: 1, count: inputs)]
    for output in mapped(loudest, outputs: outputs) { #expect(output[0] <= 1.000001) }
  }

  @Test("Channels without positions are distributed over the outputs in rotation")
  func discrete() {
    let result = mapped(
      [[1, 1, 1, 1]], outputs: 2, layout: AudioChannelLayout(labels: [0, 0, 0, 0]))
    #expect(result == [[1], [1]])
  }
}
