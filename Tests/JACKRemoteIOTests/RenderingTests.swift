// SPDX-License-Identifier: MIT

import AudioModel
import JACKRemoteIO
import RenderCore
import TestKit
import Testing

extension OutputTests {
  @Suite("an output's sound")
  struct Rendering {
    @Test("is exact silence while nothing is rendered")
    func silence() throws {
      try JACKServer.with { server in
        try withIdleOutput { output, _ in
          let capture = server.startCapture(
            of: ["drawbar:out_1", "drawbar:out_2"], seconds: 1)
          let wave = try capture.finish()
          #expect(wave.sampleRate == 48000)
          #expect(wave.channels.count == 2)
          #expect(wave.frameCount == 48000)
          #expect(wave.channels.allSatisfy { $0.allSatisfy { $0.bitPattern == 0 } })
        }
      }
    }

    @Test("equals the rendered sound, sample for sample", arguments: [256, 100])
    func exact(_ period: Int) throws {
      for _ in 0..<8 {
        // The server waits for its clients; otherwise a busy machine leaves holes in the recording.
        let (wave, missed) = try JACKServer.with(.waiting(period: period)) { try capturedRamp($0) }
        if missed > 0 { continue }
        for channel in 0..<2 {
          // The start fades in; after it, each sample is the one fed.
          let body = Array(wave.channels[channel].drop { $0 == 0 }.dropFirst(2400))
          try #require(body.count > 40_000)
          let first = Ramp.index(of: body[0])
          let breaks = body.indices.filter { body[$0] != Ramp.sample(first + $0, channel) }
          #expect(breaks.isEmpty, "first at \(breaks.first ?? -1)")
        }
        return
      }
      Issue.record("no run without a missed cycle")
    }

    /// Plays the ramp, records it with another program, and returns the recording and the number of missed cycles.
    private func capturedRamp(_ server: JACKServer) throws -> (FloatWave, UInt64) {
      let output = try RemoteIO(configuration())
      let renderer = Renderer(sampleRate: output.sampleRate, outputChannels: 2)
      defer {
        output.close()
        withExtendedLifetime(renderer) {}
      }
      let source = renderer.addSource(ringBytes: 1 << 21, ringPackets: 1024)
      var feed = source.feed
      try Ramp.feed(&feed, frames: 120_000)
      _ = try output.start(rendering: renderer.context)
      let capture = server.startCapture(of: ["drawbar:out_1", "drawbar:out_2"], seconds: 2)
      let isConnected = eventually {
        let ours = try? server.ports().filter { $0.name.hasPrefix("drawbar:") }
        return ours?.allSatisfy { !$0.connections.isEmpty } ?? false
      }
      #expect(isConnected)
      let missedBefore = output.missedCycleCount
      source.control.mode = .play
      return (try capture.finish(), output.missedCycleCount - missedBefore)
    }

    @Test("continues at unusual periods", arguments: [16, 100, 8192])
    func periods(_ period: Int) throws {
      var options = JACKServer.Options()
      options.period = period
      try JACKServer.with(options) { _ in
        try withIdleOutput { output, _ in
          #expect(output.bufferSize == period)
          #expect(eventually { output.cycleCount >= 5 })
          #expect(output.bufferSize == period)
          #expect(!output.isStalled)
        }
      }
    }

    @Test("follows the server's rate", arguments: [44100, 96000])
    func rates(_ rate: Int) throws {
      var options = JACKServer.Options()
      options.sampleRate = rate
      try JACKServer.with(options) { _ in
        try withIdleOutput { output, _ in
          #expect(output.sampleRate == Double(rate))
          // Nothing has changed since the open.
          #expect(output.takeNotices().allSatisfy { if case .xruns = $0 { true } else { false } })
        }
      }
    }

    @Test("has the latency that the server declares, on a running frame clock")
    func timing() throws {
      try JACKServer.with { _ in
        try withIdleOutput(configuration(.automatic)) { output, _ in
          #expect(eventually { output.cycleCount > 2 })
          // The dummy driver declares two periods. The server includes each connection some time after it was
          // made.
          #expect(eventually { output.playbackLatency == 512...512 })
          let before = try #require(output.frameTime)
          #expect(
            eventually { output.frameTime.map { Int32(bitPattern: $0 &- before) > 0 } ?? false })
        }
        try withIdleOutput { output, _ in
          #expect(output.playbackLatency == 0...0)
          output.close()
          #expect(output.playbackLatency == nil)
          #expect(output.frameTime == nil)
        }
      }
    }

    @Test("is rendered by a thread whose scheduling is read back from the kernel")
    func scheduling() throws {
      for isRealtime in [true, false] {
        var options = JACKServer.Options()
        options.isRealtime = isRealtime
        try JACKServer.with(options) { server in
          try withIdleOutput { output, _ in
            #expect(eventually { output.cycleCount > 0 })
            let scheduling = try #require(output.scheduling)
            if isRealtime, !server.log.contains("Cannot use real-time scheduling") {
              #expect(scheduling.policy == .fifo && scheduling.priority == 65)
            } else {
              #expect(!scheduling.isRealtime && scheduling.priority == 0)
            }
          }
        }
      }
    }
  }
}

/// A sound whose samples encode their index: a ramp of 24-bit steps, with the sign for the channel.
enum Ramp {
  static func sample(_ index: Int, _ channel: Int) -> Float {
    let value = Float(index + 1) / Float(1 << 23)
    return channel == 0 ? value : -value
  }

  static func index(of sample: Float) -> Int {
    Int(sample.magnitude * Float(1 << 23)) - 1
  }

  /// Feeds the ramp as one stereo stream of 32-bit float PCM at 48 kHz.
  static func feed(_ feed: inout SourceFeed, frames: Int) throws {
    let format = AudioStreamBasicDescription.linearPCM(
      sampleRate: 48000, channels: 2, bitsPerChannel: 32, flags: [.float, .packed])
    let packetFrames = 1000
    for start in stride(from: 0, to: frames, by: packetFrames) {
      let samples = (start..<start + packetFrames).flatMap { [sample($0, 0), sample($0, 1)] }
      let metadata = PacketMetadata(
        flushSerial: 0, packetIndex: Int64(start / packetFrames), firstFrame: Int64(start),
        frameCount: Int32(packetFrames), trimStartFrames: 0, trimEndFrames: 0,
        byteOffset: Int64(start * 8), durationNanoseconds: UInt64(packetFrames) * 1_000_000 / 48)
      let isTaken = try unsafe samples.withUnsafeBytes { bytes in
        if start == 0 {
          let stream = try unsafe feed.beginStream(
            CodedStreamDescription(format: format), firstPacket: bytes, joinsPrevious: false)
          if stream == nil { return false }
        }
        return unsafe feed.write(packet: bytes, metadata: metadata)
      }
      try #require(isTaken)
    }
    let isEnded = feed.endStream()
    try #require(isEnded)
  }
}
