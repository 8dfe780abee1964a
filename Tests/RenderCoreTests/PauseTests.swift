// SPDX-License-Identifier: MIT

import AudioModel
import OfflineOutput
import Synchronization
import Testing

@testable import RenderCore

@Suite("A source that is paused before it sounds, or after")
struct PauseTests {
  /// A source on an output of one channel at 48 kHz, cranked by hand.
  private final class Rig {
    let renderer: Renderer
    let control: SourceControl
    private var feed: SourceFeed
    private var output: OfflineOutput

    init() {
      renderer = Renderer(sampleRate: 48000, outputChannels: 1)
      let source = renderer.addSource()
      control = source.control
      feed = source.feed
      output = OfflineOutput(renderer: renderer)
    }

    /// Writes a thousand frames at half of full scale, as a separate stream.
    func write() throws {
      let format = AudioStreamBasicDescription.linearPCM(
        sampleRate: 48000, channels: 1, bitsPerChannel: 32, flags: [.float, .packed])
      let samples = [Float](repeating: 0.5, count: 1000)
      try unsafe samples.withUnsafeBytes { bytes in
        _ = try unsafe feed.beginStream(
          CodedStreamDescription(format: format), firstPacket: bytes, joinsPrevious: false)
        let isTaken = unsafe feed.write(
          packet: bytes,
          metadata: PacketMetadata(
            flushSerial: 0, packetIndex: 0, firstFrame: 0, frameCount: 1000, trimStartFrames: 0,
            trimEndFrames: 0, byteOffset: 0, durationNanoseconds: 20_833_333))
        #expect(isTaken)
      }
    }

    /// Renders cycles and returns their samples.
    func hear(_ cycles: Int, period: Int = 64) -> [Float] {
      (0..<cycles).flatMap { _ in
        var samples: [Float] = []
        output.render(frameCount: period, interleavedInto: &samples)
        return samples
      }
    }
  }

  /// A source's state before the pause; none of these sounds.
  enum Before: CaseIterable {
    /// No cycle was rendered.
    case nothing
    /// Nothing was fed.
    case empty
    /// All packets have been played.
    case starved
    /// The start frame has not been reached.
    case early
    /// The source was held.
    case held
  }

  @Test("A silent source stays silent, and its time stands still", arguments: Before.allCases)
  func silent(_ before: Before) throws {
    let rig = Rig()
    rig.control.mode = before == .held ? .hold : .play
    switch before {
    case .nothing: break
    case .empty: _ = rig.hear(4)
    case .starved:
      try rig.write()
      _ = rig.hear(20)
      rig.control.acknowledgeUnderruns()
    case .early, .held:
      if before == .early { rig.control.startFrame = 48000 }
      try rig.write()
      _ = rig.hear(4)
    }
    rig.control.mode = .pause
    _ = rig.hear(1)
    let heardBefore = rig.control.position.outputFrames
    if before != .early && before != .held { try rig.write() }
    #expect(rig.hear(20).allSatisfy { $0 == 0 })
    #expect(rig.control.position.outputFrames == heardBefore)
    rig.control.startFrame = 0
    rig.control.mode = .play
    // All frames sound, behind the fade-in after the pause.
    let heard = rig.hear(20)
    #expect(heard.count { $0 != 0 } >= 999 && heard[300..<1000].allSatisfy { $0 == 0.5 })
  }

  @Test("Sound fades out, and continues with the very next frame", arguments: [64, 512])
  func fades(_ period: Int) throws {
    let rig = Rig()
    try rig.write()
    rig.control.mode = .play
    // The sound begins in the middle of the cycle.
    rig.control.startFrame = UInt64(period / 2)
    _ = rig.hear(1, period: period)
    rig.control.mode = .pause
    let heard = rig.hear(1024 / period, period: period)
    #expect(heard[0] > 0.49 && heard[100] > 0 && heard[239...].allSatisfy { $0 == 0 })
    #expect(zip(heard, heard.dropFirst()).allSatisfy { $0 >= $1 && $0 - $1 < 0.01 })
    let given = period / 2 + 240
    #expect(rig.control.position.outputFrames == UInt64(given))
    rig.control.mode = .play
    let rest = rig.hear(2048 / period, period: period)
    #expect(rest.count { $0 != 0 } >= 999 - given && rest[(1000 - given)...].allSatisfy { $0 == 0 })
  }

  @Test("A new source has the output's position before its own first cycle")
  func addedLate() {
    let rig = Rig()
    #expect(rig.control.position.deviceFrame == 0)
    _ = rig.hear(90, period: 512)
    let (position, other) = (rig.renderer.addSource().control.position, rig.control.position)
    #expect(position.deviceFrame == 89 * 512 && position.cycleFrames == 512)
    #expect(position.hostNanoseconds == other.hostNanoseconds)
  }

  @Test("A position whose writing was interrupted can be read, and is whole with the next cycle")
  func interruptedWrite() {
    let rig = Rig()
    _ = rig.hear(3)
    let sequence = unsafe rig.control.shared.pointee.sequence.load(ordering: .relaxed)
    unsafe rig.control.shared.pointee.sequence.store(sequence + 1, ordering: .relaxed)
    #expect(rig.control.position.deviceFrame == 128)
    _ = rig.hear(1)
    #expect(unsafe rig.control.shared.pointee.sequence.load(ordering: .relaxed).isMultiple(of: 2))
    #expect(rig.control.position.deviceFrame == 192)
  }
}
