// SPDX-License-Identifier: MIT

import AudioModel
import OfflineOutput
import RenderCore
import Testing

@Suite("Generations")
struct GenerationTests {
  private let format = AudioStreamBasicDescription(
    sampleRate: 48000, formatID: .linearPCM, formatFlags: [.float, .packed], bytesPerPacket: 4,
    framesPerPacket: 1, bytesPerFrame: 4, channelsPerFrame: 1, bitsPerChannel: 32)

  /// Begins a stream of a generation and writes a second of this value.
  private func feed(_ value: Float, generation: UInt32, to feed: inout SourceFeed) throws {
    feed.generation = generation
    let samples = [Float](repeating: value, count: 1000)
    try unsafe samples.withUnsafeBytes { bytes in
      _ = try unsafe feed.beginStream(
        CodedStreamDescription(format: format), firstPacket: bytes, joinsPrevious: false)
      for run in 0..<48 {
        let isTaken = unsafe feed.write(
          packet: bytes,
          history: PacketHistory(
            generation: generation, packetIndex: Int64(run) * 1000, firstFrame: Int64(run) * 1000,
            frameCount: 1000, trimStartFrames: 0, trimEndFrames: 0, byteOffset: 0,
            durationNanoseconds: 20_833_333))
        #expect(isTaken)
      }
    }
  }

  @Test("A change to what is there already begins with its first frame, also when nothing sounded")
  func twoChanges() throws {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 1)
    let source = renderer.addSource()
    var feed = source.feed
    var output = OfflineOutput(renderer: renderer)
    var samples: [Float] = []
    source.control.mode = .play
    try self.feed(0.25, generation: 0, to: &feed)
    output.render(frameCount: 512, interleavedInto: &samples)
    #expect(samples.allSatisfy { $0 == 0.25 })
    // A seek of which nothing has come yet.
    source.control.generation = 1
    for _ in 0..<3 { output.render(frameCount: 512, interleavedInto: &samples) }
    #expect(samples.allSatisfy { $0 == 0 })
    try self.feed(0.5, generation: 2, to: &feed)
    source.control.generation = 2
    output.render(frameCount: 512, interleavedInto: &samples)
    #expect(samples.allSatisfy { $0 == 0.5 })
    output.render(frameCount: 512, interleavedInto: &samples)
    #expect(samples.allSatisfy { $0 == 0.5 })
    #expect(source.control.counters.underruns == 0)
  }

  @Test("A change while paused is silent, and after a hold it begins with its first frame")
  func whilePaused() throws {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 1)
    let source = renderer.addSource()
    var feed = source.feed
    var output = OfflineOutput(renderer: renderer)
    var samples: [Float] = []
    try self.feed(0.25, generation: 0, to: &feed)
    source.control.mode = .play
    output.render(frameCount: 512, interleavedInto: &samples)
    source.control.mode = .pause
    output.render(frameCount: 512, interleavedInto: &samples)
    try self.feed(0.5, generation: 1, to: &feed)
    source.control.generation = 1
    for _ in 0..<4 {
      output.render(frameCount: 512, interleavedInto: &samples)
      #expect(samples.allSatisfy { $0 == 0 })
    }
    source.control.mode = .hold
    output.render(frameCount: 512, interleavedInto: &samples)
    source.control.mode = .play
    output.render(frameCount: 512, interleavedInto: &samples)
    #expect(samples.allSatisfy { $0 == 0.5 })
  }

  @Test("A hold after the change lets the old sound fade, and waits with the new one")
  func holdAfterReset() throws {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 1)
    let source = renderer.addSource()
    var feed = source.feed
    var output = OfflineOutput(renderer: renderer)
    var samples: [Float] = []
    try self.feed(0.25, generation: 0, to: &feed)
    source.control.mode = .play
    output.render(frameCount: 512, interleavedInto: &samples)
    try self.feed(0.5, generation: 1, to: &feed)
    source.control.generation = 1
    source.control.mode = .holdAfterReset
    #expect(source.control.mode == .holdAfterReset)
    output.render(frameCount: 512, interleavedInto: &samples)
    let fade = samples.prefix(240)
    #expect(zip(fade, fade.dropFirst()).allSatisfy { $0 > $1 })
    #expect(samples.dropFirst(240).allSatisfy { $0 == 0 })
    #expect(source.control.renderedGeneration == 1)
    for _ in 0..<4 {
      output.render(frameCount: 512, interleavedInto: &samples)
      #expect(samples.allSatisfy { $0 == 0 })
    }
    source.control.mode = .play
    output.render(frameCount: 512, interleavedInto: &samples)
    #expect(samples.allSatisfy { $0 == 0.5 })
    #expect(source.control.counters.underruns == 0)
  }

  @Test("A hold after a change that has been made holds at once")
  func holdAfterResetThatIsOver() throws {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 1)
    let source = renderer.addSource()
    var feed = source.feed
    var output = OfflineOutput(renderer: renderer)
    var samples: [Float] = []
    try self.feed(0.25, generation: 0, to: &feed)
    source.control.mode = .play
    output.render(frameCount: 512, interleavedInto: &samples)
    source.control.mode = .holdAfterReset
    output.render(frameCount: 512, interleavedInto: &samples)
    #expect(samples.allSatisfy { $0 == 0 })
  }

  @Test("Old sound that ends within its fade, or before the change, does not use the new one up")
  func oldSoundEnds() throws {
    for framesLeft in [0, 100, 239] {
      let renderer = Renderer(sampleRate: 48000, outputChannels: 1)
      let source = renderer.addSource()
      var feed = source.feed
      var output = OfflineOutput(renderer: renderer)
      var samples: [Float] = []
      source.control.mode = .play
      try self.feed(0.25, generation: 0, to: &feed)
      for _ in 0..<10 { output.render(frameCount: 4700, interleavedInto: &samples) }
      output.render(frameCount: 1000 - framesLeft, interleavedInto: &samples)
      try self.feed(0.5, generation: 1, to: &feed)
      if framesLeft == 0 {
        output.render(frameCount: 512, interleavedInto: &samples)
        #expect(samples.allSatisfy { $0 == 0 }, "it is not its turn")
      }
      source.control.generation = 1
      for _ in 0..<2 { output.render(frameCount: 512, interleavedInto: &samples) }
      #expect(samples.allSatisfy { $0 == 0.5 })
    }
  }
}
