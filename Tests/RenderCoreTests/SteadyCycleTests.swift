// SPDX-License-Identifier: MIT

import AudioModel
import OfflineOutput
import TestKit
import Testing

@testable import RenderCore

@Suite("A steady cycle")
struct SteadyCycleTests {
  /// A source of two channels of 32-bit samples, which go to the outputs as they are.
  private final class Side {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 2)
    let control: SourceControl
    /// The last cycle's samples.
    private(set) var samples: [Float] = []
    /// Cycles that took the fast path.
    private(set) var steadyCycles = 0
    private var feed: SourceFeed
    private var output: OfflineOutput
    private var packetIndex: Int64 = 0
    private var begun: UInt32?

    /// - Parameter isReference: no cycle is a steady one, because levels are measured.
    init(isReference: Bool) {
      let source = renderer.addSource(ringPackets: 64)
      control = source.control
      feed = source.feed
      output = OfflineOutput(renderer: renderer)
      control.measuresLevels = isReference
      control.clockRate = 48000
    }

    /// Writes a packet with a flush serial.
    func write(
      _ values: [Float], flushSerial: UInt32, trimStart: Int32 = 0, trimEnd: Int32 = 0,
      mark: UInt32 = 0, settings: SourceSettings = SourceSettings()
    ) throws {
      let format = AudioStreamBasicDescription.linearPCM(
        sampleRate: 48000, channels: 2, bitsPerChannel: 32, flags: [.float, .packed])
      feed.flushSerial = flushSerial
      var metadata = PacketMetadata(
        flushSerial: flushSerial, packetIndex: packetIndex, firstFrame: packetIndex,
        frameCount: Int32(values.count / 2), trimStartFrames: trimStart, trimEndFrames: trimEnd,
        byteOffset: 0, durationNanoseconds: UInt64(values.count / 2) * 1_000_000 / 48)
      metadata.mark = mark
      try unsafe values.withUnsafeBytes { bytes in
        if begun != flushSerial {
          _ = try unsafe feed.beginStream(
            CodedStreamDescription(format: format), firstPacket: bytes, joinsPrevious: false)
          begun = flushSerial
        }
        _ = unsafe feed.write(packet: bytes, metadata: metadata, settings: settings)
      }
      packetIndex += 1
    }

    func render(_ frameCount: Int) {
      // A cycle that is not a steady one resets the work.
      unsafe control.storage.unit.pointee.work.callbackTicks = 1
      output.render(frameCount: frameCount, interleavedInto: &samples)
      if unsafe control.storage.unit.pointee.work.callbackTicks == 1 { steadyCycles += 1 }
      feed.reclaimConverters()
    }

    func events() -> [SourceEvent] {
      var events: [SourceEvent] = []
      while let event = feed.nextEvent() { events.append(event) }
      return events
    }
  }

  @Test(
    "It produces the samples of any other cycle, with any settings in between", arguments: 0..<20)
  func likeAnyOther(seed: UInt64) throws {
    var random = SplitMix(state: seed)
    let sides = [Side(isReference: false), Side(isReference: true)]
    var flushSerial: UInt32 = 0
    var value: Float = 0
    for side in sides { side.control.mode = .play }
    for step in 0..<3000 {
      if Int.random(in: 0..<4, using: &random) == 0 {
        let frames = Int.random(in: 1...1024, using: &random)
        let values = (0..<2 * frames).map { _ in
          value += 1
          return value / 4_000_000
        }
        let isTrimmed = Int.random(in: 0..<4, using: &random) == 0
        let trims = isTrimmed ? (Int32(frames / 3), Int32(frames / 4)) : (0, 0)
        var settings = SourceSettings()
        let isMarked = Int.random(in: 0..<20, using: &random) == 0
        if isMarked { settings = SourceSettings(volume: .random(in: 0...1, using: &random)) }
        for side in sides {
          try side.write(
            values, flushSerial: flushSerial, trimStart: trims.0, trimEnd: trims.1,
            mark: isMarked ? UInt32(step + 1) : 0, settings: settings)
        }
      }
      change(sides, &flushSerial, Int.random(in: 0..<200, using: &random), &random)
      let frameCount = Int.random(in: 1...256, using: &random)
      for side in sides { side.render(frameCount) }
      let (one, other) = (sides[0].control.position, sides[1].control.position)
      try #require(one == other, "step \(step)")
      try #require(sides[0].samples == sides[1].samples, "step \(step)")
      try #require(sides[0].control.counters == sides[1].control.counters)
    }
    #expect(sides[0].events() == sides[1].events())
    #expect(sides[0].steadyCycles > 300)
    #expect(sides[1].steadyCycles == 0)
  }

  /// Makes the same change to both sides, or usually none.
  private func change(
    _ sides: [Side], _ flushSerial: inout UInt32, _ kind: Int, _ random: inout SplitMix
  ) {
    let (volume, pan) = (
      Float.random(in: 0...1, using: &random), Float.random(in: -1...1, using: &random)
    )
    let wait = UInt64.random(in: 0..<1000, using: &random)
    if kind == 4 { flushSerial += 1 }
    for side in sides {
      let control = side.control
      switch kind {
      case 0: control.volume = volume
      case 1: control.pan = pan
      case 2: control.mode = .pause
      case 3: control.mode = .hold
      case 4: control.flushSerial = flushSerial
      case 5:
        control.startFrame = control.position.deviceFrame + wait
      case 6: control.mode = .holdAfterReset
      case 7: control.clockRate = wait % 2 == 0 ? 48000 : 44100
      // No resampler exists for this rate, so the source is silent until the rate is 48 kHz again.
      case 8: side.renderer.sampleRate = 44100
      case 9: control.followsTransport = true
      case 10:
        control.volume = volume
        control.settleVolume()
      case 11...17:
        control.volume = 1
        control.pan = 0
      default:
        // Lets the sound continue.
        control.acknowledgeUnderruns()
        side.renderer.sampleRate = 48000
        control.followsTransport = false
        if kind > 100 { control.mode = .play }
      }
    }
  }
}
