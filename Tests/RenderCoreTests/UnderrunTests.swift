// SPDX-License-Identifier: MIT

import AudioModel
import OfflineOutput
import Testing

@testable import RenderCore

@Suite("An underrun")
struct UnderrunTests {
  /// A source of two channels on an output at 48 kHz, cranked by hand.
  private final class Rig {
    let control: SourceControl
    private var feed: SourceFeed
    private var output: OfflineOutput
    private var frame: Int64 = 0

    init(fades: Bool = true) {
      let renderer = Renderer(sampleRate: 48000, outputChannels: 2)
      let source = renderer.addSource(fadesAtUnderrun: fades)
      control = source.control
      feed = source.feed
      output = OfflineOutput(renderer: renderer)
      control.mode = .play
    }

    /// Writes a packet of frames of 0.5 and -0.25.
    func write(_ count: Int) throws {
      let format = AudioStreamBasicDescription.linearPCM(
        sampleRate: 48000, channels: 2, bitsPerChannel: 32, flags: [.float, .packed])
      let samples = (0..<count).flatMap { _ in [0.5, -0.25] as [Float] }
      try unsafe samples.withUnsafeBytes { bytes in
        if frame == 0 {
          _ = try unsafe feed.beginStream(
            CodedStreamDescription(format: format), firstPacket: bytes, joinsPrevious: false)
        }
        let isTaken = unsafe feed.write(
          packet: bytes,
          metadata: PacketMetadata(
            flushSerial: 0, packetIndex: frame, firstFrame: frame, frameCount: Int32(count),
            trimStartFrames: 0, trimEndFrames: 0, byteOffset: 0,
            durationNanoseconds: UInt64(count) * 1_000_000_000 / 48000))
        #expect(isTaken)
      }
      frame += Int64(count)
    }

    /// Renders frames and returns the left channel; the right one has the same at half, inverted.
    func hear(_ frames: Int, period: Int) -> [Float] {
      stride(from: 0, to: frames, by: period).flatMap { _ in
        var samples: [Float] = []
        output.render(frameCount: period, interleavedInto: &samples)
        #expect((0..<period).allSatisfy { samples[2 * $0 + 1] == samples[2 * $0] / -2 })
        return (0..<period).map { samples[2 * $0] }
      }
    }
  }

  @Test(
    "fades out behind the last frame and in at the next one, and changes no frame before it",
    arguments: [(1000, 64), (1024, 64), (1024, 1024), (1000, 512), (1024, 256), (1023, 16)])
  func fades(_ count: Int, _ period: Int) throws {
    let rig = Rig()
    try rig.write(count)
    let heard = rig.hear(2048, period: period)
    #expect(rig.control.isStarved && rig.control.counters.underruns == 1)
    #expect(heard[..<count].allSatisfy { $0 == 0.5 })
    let tail = heard[count...]
    #expect(zip(heard[(count - 1)...], tail).allSatisfy { $0 >= $1 && $0 - $1 < 0.004 })
    #expect(tail[count + 200] > 0 && tail[(count + 240)...].allSatisfy { $0 == 0 })
    #expect(rig.control.position.outputFrames == UInt64(count))
    try rig.write(2048)
    rig.control.acknowledgeUnderruns()
    let rest = rig.hear(1024, period: period)
    #expect(rest[0] < 0.001 && rest[239...].allSatisfy { abs($0 - 0.5) < 1e-6 })
    #expect(zip(rest, rest.dropFirst()).allSatisfy { $0 <= $1 && $1 - $0 < 0.004 })
    #expect(rig.control.position.outputFrames == UInt64(count + 1024))
  }

  @Test("that ends during its fade-out overlaps both fades", arguments: [16, 64])
  func short(_ period: Int) throws {
    let rig = Rig()
    try rig.write(1024)
    let before = rig.hear(1024 + period, period: period)
    try rig.write(2048)
    rig.control.acknowledgeUnderruns()
    let heard = before[1023...] + rig.hear(1024, period: period)
    #expect(zip(heard, heard.dropFirst()).allSatisfy { abs($0 - $1) < 0.005 })
    #expect(heard.last == 0.5)
  }

  @Test("decays from silence where silence was before it")
  func afterHold() throws {
    let rig = Rig()
    try rig.write(1024)
    _ = rig.hear(1024, period: 64)
    rig.control.mode = .hold
    _ = rig.hear(64, period: 64)
    rig.control.mode = .play
    #expect(rig.hear(512, period: 64).allSatisfy { $0 == 0 })
  }

  @Test("is a hard cut if the source does not fade")
  func exact() throws {
    let rig = Rig(fades: false)
    try rig.write(1000)
    let heard = rig.hear(2048, period: 64)
    #expect(heard[..<1000].allSatisfy { $0 == 0.5 } && heard[1000...].allSatisfy { $0 == 0 })
    try rig.write(2048)
    rig.control.acknowledgeUnderruns()
    #expect(rig.hear(1024, period: 64).allSatisfy { $0 == 0.5 })
  }
}
