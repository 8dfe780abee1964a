// SPDX-License-Identifier: MIT

import AudioModel
import JACKRemoteIO
import RenderCore
import TestKit
import Testing

@testable import PushQueue

@Suite("An input queue on a JACK server", .serialized)
struct InputServerTests {
  @Test("records what another client plays, to the sample")
  func recording() throws {
    for _ in 0..<8 {
      if let samples = try recordedCount() {
        let sound = samples.drop { $0 == 0 }
        #expect(sound.count >= 20_000)
        let first = Int((sound.first ?? 0) * 32768)
        let breaks = sound.indices.filter {
          Int(sound[$0] * 32768) != (first - 1 + $0 - sound.startIndex) % 30_000 + 1
        }
        #expect(breaks.isEmpty, "first at \(breaks.first ?? -1)")
        return
      }
    }
    Issue.record("no run in which no cycle was lost")
  }

  /// Plays numbers from 1 to 30000 repeatedly with one client and records them with another; returns nil if the server
  /// has lost a cycle.
  private func recordedCount() throws -> [Float]? {
    return try JACKServer.with(.waiting()) { _ in
      let player = try RemoteIO(
        .init(
          clientName: "player", serverName: JACKServer.name, outputPortNames: ["out_1"],
          connection: .none))
      let recorder = try RemoteIO(
        .init(
          clientName: "recorder", serverName: JACKServer.name, outputPortNames: [],
          connection: .none, inputPortNames: ["in_1"], inputConnection: .ports(["player:out_1"])))
      let playing = Renderer(sampleRate: player.sampleRate, outputChannels: 1)
      let recording = Renderer(
        sampleRate: recorder.sampleRate, outputChannels: 0, inputChannels: 1)
      defer {
        recorder.close()
        player.close()
        withExtendedLifetime((playing, recording)) {}
      }
      let source = playing.addSource()
      let control = source.control
      var feed = source.feed
      try Self.feed(&feed, frames: 48_000)

      let recorded = POSIXMutex<[UInt8]>([])
      let queue = try AudioInputQueue(
        recording: InputBench.format(channels: 1), from: recording
      ) { queue, buffer, _ in
        recorded.withLock { unsafe $0.append(contentsOf: buffer.bytes[..<buffer.byteCount]) }
        try? queue.enqueue(buffer)
      }
      for _ in 0..<3 { try queue.enqueue(queue.allocateBuffer(byteCapacity: 4 * 960)) }
      try player.start(rendering: playing.context)
      try recorder.start(rendering: recording.context)
      try queue.start()
      #expect(eventually { queue.isRunning })
      control.mode = .play
      #expect(eventually { control.position.outputFrames > 24_000 })
      try queue.stop(immediately: true)
      let loss = queue.counters.loss
      #expect(loss.underrunFrames == 0 && loss.overrunFrames == 0)
      try queue.dispose(immediately: true)
      return loss.missedFrames == 0 ? InputBench.floats(recorded.withLock { $0 }) : nil
    }
  }

  private static func feed(_ feed: inout SourceFeed, frames: Int) throws {
    let format = InputBench.format(channels: 1)
    for start in stride(from: 0, to: frames, by: 1000) {
      let samples = (start..<start + 1000).map { Float($0 % 30_000 + 1) / 32768 }
      let metadata = PacketMetadata(
        flushSerial: 0, packetIndex: Int64(start / 1000), firstFrame: Int64(start),
        frameCount: 1000, trimStartFrames: 0, trimEndFrames: 0, byteOffset: Int64(4 * start),
        durationNanoseconds: 20_833_333)
      let isTaken = try unsafe samples.withUnsafeBytes { bytes in
        if start == 0 {
          _ = try unsafe feed.beginStream(
            CodedStreamDescription(format: format), firstPacket: bytes, joinsPrevious: false)
        }
        return unsafe feed.write(packet: bytes, metadata: metadata)
      }
      try #require(isTaken)
    }
  }
}
