// SPDX-License-Identifier: MIT

import AudioModel
import OfflineOutput
import RenderCore
import Testing

@Suite("Flush serials")
struct FlushSerialTests {
  /// A source on an output of one channel.
  private final class Playing {
    private let renderer = Renderer(sampleRate: 48000, outputChannels: 1)
    let control: SourceControl
    private var feed: SourceFeed
    private var output: OfflineOutput

    init() {
      let source = renderer.addSource()
      control = source.control
      feed = source.feed
      output = OfflineOutput(renderer: renderer)
    }

    /// Begins a stream with a flush serial and writes a second of
    /// this value.
    func write(_ value: Float, flushSerial: UInt32) throws {
      let format = AudioStreamBasicDescription.linearPCM(
        sampleRate: 48000, channels: 1, bitsPerChannel: 32, flags: [.float, .packed])
      feed.flushSerial = flushSerial
      let samples = [Float](repeating: value, count: 1000)
      try unsafe samples.withUnsafeBytes { bytes in
        _ = try unsafe feed.beginStream(
          CodedStreamDescription(format: format), firstPacket: bytes, joinsPrevious: false)
        for run in 0..<48 {
          let isTaken = unsafe feed.write(
            packet: bytes,
            metadata: PacketMetadata(
              flushSerial: flushSerial, packetIndex: Int64(run) * 1000,
              firstFrame: Int64(run) * 1000, frameCount: 1000, trimStartFrames: 0,
              trimEndFrames: 0, byteOffset: 0, durationNanoseconds: 20_833_333))
          #expect(isTaken)
        }
      }
    }

    /// Renders a cycle and returns its samples.
    func cycle(_ frameCount: Int = 512) -> [Float] {
      var samples: [Float] = []
      output.render(frameCount: frameCount, interleavedInto: &samples)
      return samples
    }

    /// Returns whether the next cycles consist of this value only.
    func gives(_ value: Float, cycles: Int = 1) -> Bool {
      (0..<cycles).map { _ in cycle() }.joined().allSatisfy { $0 == value }
    }
  }

  @Test("A flush to sound that is already there begins with its first frame, also after silence")
  func twoChanges() throws {
    let source = Playing()
    source.control.mode = .play
    try source.write(0.25, flushSerial: 0)
    #expect(source.gives(0.25))
    // A seek whose sound has not arrived yet.
    source.control.flushSerial = 1
    _ = source.cycle()
    #expect(source.gives(0, cycles: 2))
    try source.write(0.5, flushSerial: 2)
    source.control.flushSerial = 2
    #expect(source.gives(0.5, cycles: 2))
    #expect(source.control.counters.underruns == 0)
  }

  @Test("A flush while paused is silent; after a hold the new sound begins with its first frame")
  func whilePaused() throws {
    let source = Playing()
    try source.write(0.25, flushSerial: 0)
    source.control.mode = .play
    #expect(source.gives(0.25))
    source.control.mode = .pause
    _ = source.cycle()
    try source.write(0.5, flushSerial: 1)
    source.control.flushSerial = 1
    #expect(source.gives(0, cycles: 4))
    source.control.mode = .hold
    #expect(source.gives(0))
    source.control.mode = .play
    #expect(source.gives(0.5))
  }

  @Test("A hold after a flush lets the old sound fade out, and holds the new one")
  func holdAfterReset() throws {
    let source = Playing()
    try source.write(0.25, flushSerial: 0)
    source.control.mode = .play
    #expect(source.gives(0.25))
    try source.write(0.5, flushSerial: 1)
    source.control.flushSerial = 1
    source.control.mode = .holdAfterReset
    #expect(source.control.mode == .holdAfterReset)
    let samples = source.cycle()
    let fade = samples.prefix(240)
    #expect(zip(fade, fade.dropFirst()).allSatisfy { $0 >= $1 } && fade[120] < 0.13)
    #expect(samples.dropFirst(240).allSatisfy { $0 == 0 })
    #expect(source.control.renderedFlushSerial == 1)
    #expect(source.gives(0, cycles: 4))
    source.control.mode = .play
    #expect(source.gives(0.5))
    #expect(source.control.counters.underruns == 0)
  }

  @Test("A hold after a completed flush holds at once")
  func holdAfterResetThatIsOver() throws {
    let source = Playing()
    try source.write(0.25, flushSerial: 0)
    source.control.mode = .play
    #expect(source.gives(0.25))
    source.control.mode = .holdAfterReset
    #expect(source.gives(0))
  }

  @Test("Old sound that ends within its fade, or before the flush, uses up none of the new sound")
  func oldSoundEnds() throws {
    for framesLeft in [0, 100, 239] {
      let source = Playing()
      source.control.mode = .play
      try source.write(0.25, flushSerial: 0)
      for _ in 0..<10 { _ = source.cycle(4700) }
      _ = source.cycle(1000 - framesLeft)
      try source.write(0.5, flushSerial: 1)
      if framesLeft == 0 { #expect(source.gives(0), "it is not its turn") }
      source.control.flushSerial = 1
      let samples = source.cycle()
      #expect(samples[framesLeft...].allSatisfy { $0 == 0.5 })
      #expect(source.gives(0.5))
    }
  }
}
