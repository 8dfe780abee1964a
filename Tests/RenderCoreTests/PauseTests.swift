// SPDX-License-Identifier: MIT

import AudioModel
import OfflineOutput
import Testing

@testable import RenderCore

@Suite("A source that is paused before it sounds, or after")
struct PauseTests {
  private let format = AudioStreamBasicDescription(
    sampleRate: 48000, formatID: .linearPCM, formatFlags: [.float, .packed], bytesPerPacket: 4,
    framesPerPacket: 1, bytesPerFrame: 4, channelsPerFrame: 1, bitsPerChannel: 32)

  /// Writes a thousand frames at half of full scale, as a stream of their own.
  private func feed(_ feed: inout SourceFeed) throws {
    let samples = [Float](repeating: 0.5, count: 1000)
    try unsafe samples.withUnsafeBytes { bytes in
      _ = try unsafe feed.beginStream(
        CodedStreamDescription(format: format), firstPacket: bytes, joinsPrevious: false)
      let isTaken = unsafe feed.write(
        packet: bytes,
        history: PacketHistory(
          generation: 0, packetIndex: 0, firstFrame: 0, frameCount: 1000, trimStartFrames: 0,
          trimEndFrames: 0, byteOffset: 0, durationNanoseconds: 20_833_333))
      #expect(isTaken)
    }
  }

  /// What stands between playing and sound when the pause comes.
  enum Before: CaseIterable {
    /// It was never rendered.
    case nothing
    /// Nothing was fed.
    case empty
    /// What was fed is over.
    case starved
    /// The time to begin has not come.
    case early
    /// It was held.
    case held
  }

  @Test("Nothing is heard and no time passes where nothing sounded", arguments: Before.allCases)
  func silent(_ before: Before) throws {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 1)
    let source = renderer.addSource()
    var feed = source.feed
    var output = OfflineOutput(renderer: renderer)
    var samples: [Float] = []
    func cycles(_ count: Int) -> [Float] {
      (0..<count).flatMap { _ in
        output.render(frameCount: 64, interleavedInto: &samples)
        return samples
      }
    }
    source.control.mode = before == .held ? .hold : .play
    switch before {
    case .nothing: break
    case .empty: _ = cycles(4)
    case .starved:
      try self.feed(&feed)
      _ = cycles(20)
      source.control.acknowledgeUnderruns()
    case .early, .held:
      if before == .early { source.control.startFrame = 48000 }
      try self.feed(&feed)
      _ = cycles(4)
    }
    source.control.mode = .pause
    _ = cycles(1)
    let heardBefore = source.control.position.outputFrames
    if before != .early && before != .held { try self.feed(&feed) }
    #expect(cycles(20).allSatisfy { $0 == 0 })
    #expect(source.control.position.outputFrames == heardBefore)
    source.control.startFrame = 0
    source.control.mode = .play
    // All of it, behind the ramp up from a pause.
    let heard = cycles(20)
    #expect(heard.count { $0 != 0 } >= 999 && heard[300..<1000].allSatisfy { $0 == 0.5 })
  }

  @Test("What sounds fades out, and goes on with the very next frame", arguments: [64, 512])
  func fades(_ period: Int) throws {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 1)
    let source = renderer.addSource()
    var feed = source.feed
    var output = OfflineOutput(renderer: renderer)
    var samples: [Float] = []
    try self.feed(&feed)
    source.control.mode = .play
    // The sound begins in the midst of the cycle.
    source.control.startFrame = UInt64(period / 2)
    output.render(frameCount: period, interleavedInto: &samples)
    source.control.mode = .pause
    var heard: [Float] = []
    while heard.count < 1024 {
      output.render(frameCount: period, interleavedInto: &samples)
      heard += samples
    }
    #expect(heard[0] > 0.49 && heard[100] > 0 && heard[239...].allSatisfy { $0 == 0 })
    #expect(zip(heard, heard.dropFirst()).allSatisfy { $0 >= $1 && $0 - $1 < 0.01 })
  }

  @Test("A source that is added is where the output is before its own first cycle")
  func addedLate() {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 1)
    let first = renderer.addSource()
    #expect(first.control.position.deviceFrame == 0)
    var output = OfflineOutput(renderer: renderer)
    var samples: [Float] = []
    for _ in 0..<90 { output.render(frameCount: 512, interleavedInto: &samples) }
    let second = renderer.addSource()
    let (position, other) = (second.control.position, first.control.position)
    #expect(position.deviceFrame == 89 * 512 && position.cycleFrames == 512)
    #expect(position.hostNanoseconds == other.hostNanoseconds)
  }
}
