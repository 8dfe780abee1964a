// SPDX-License-Identifier: MIT

import Glibc
import JACKRemoteIO
import OfflineOutput
import PlayerEngine
import RenderCore
import TestKit
import Testing

/// A player that follows the transport of the test's server.
private final class Follower {
  let output: RemoteIO
  let player: Player
  private let renderer: Renderer

  init(_ locations: [String], name: String = "drawbar") throws {
    var configuration = OutputTests.configuration(clientName: name)
    configuration.outputPortNames = ["out_1"]
    configuration.followsTransport = true
    output = try RemoteIO(configuration)
    renderer = Renderer(sampleRate: output.sampleRate, outputChannels: 1)
    var follows = PlayerConfiguration()
    follows.followsTransport = true
    player = Player(playing: locations, into: renderer, configuration: follows)
    try output.start(rendering: renderer)
    player.start()
  }

  /// Stops the player and closes the output. Call this before the server ends.
  func close() {
    output.close()
    withExtendedLifetime(renderer) {}
  }

  var port: String { "\(output.clientName):out_1" }

  var isPlaying: Bool { player.snapshot().state == .playing }
}

extension OutputTests {
  @Suite("an output that follows the transport")
  struct Transports {
    private static let rate = 48000

    /// Files in which each sample is its number, counted on from file to file.
    private func makeTracks(
      in directory: TemporaryDirectory, _ lengths: [Int] = [480_001, 431_999]
    ) throws -> [String] {
      var first = 0
      return try lengths.indices.map { index in
        let path = directory.file("\(index).wav")
        var writer = try WaveFileWriter(path: path, sampleRate: Self.rate, channels: 1)
        let samples = (0..<lengths[index]).map { Float(first + $0 + 1) / Float(1 << 23) }
        try writer.write(interleaved: samples.span)
        try writer.close()
        first += lengths[index]
        return path
      }
    }

    /// The frames of a recording, judged by the transport's position.
    struct Judgement: Equatable {
      /// The frame of the list at the transport's position.
      var right = 0
      /// Another frame.
      var wrong = 0
      /// Silence although the transport rolled.
      var silent = 0
      /// Sound although the transport was stopped.
      var unasked = 0
    }

    private func judge(
      _ samples: [Float], _ times: [Int64], from first: Int = 0
    ) -> Judgement {
      var judgement = Judgement()
      for index in first..<min(samples.count, times.count) {
        let number = Int64((samples[index] * Float(1 << 23)).rounded())
        switch (times[index], number) {
        case (-1, 0): break
        case (-1, _): judgement.unasked += 1
        case (_, 0): judgement.silent += 1
        case (let frame, _) where number == frame + 1: judgement.right += 1
        default: judgement.wrong += 1
        }
      }
      return judgement
    }

    @Test("plays while the transport rolls, and stops while it is stopped, to the sample")
    func rollsAndStands() throws {
      let directory = TemporaryDirectory()
      let tracks = try makeTracks(in: directory)
      try JACKServer.with(.waiting()) { server in
        let follower = try Follower(tracks)
        defer { follower.close() }
        let recorder = try JACKRecorder(
          [follower.port], capacityFrames: 1_000_000, recordsTransport: true)
        defer { recorder.close() }
        #expect(eventually { follower.isPlaying })
        for _ in 0..<5 {
          for (command, state) in [("play", "rolling"), ("stop", "stopped")] {
            _ = try server.run(["sh", "-c", "printf '\(command)\\nquit\\n' | jack_transport"])
            #expect(eventually { follower.output.transport?.state.rawValue == state })
            let count = recorder.frameCount
            #expect(eventually { recorder.frameCount > count + 4800 })
          }
        }
        let judgement = judge(recorder.samples[0], recorder.transportFrames)
        #expect(judgement.right > 5 * 4800, "\(judgement)")
        #expect(judgement == Judgement(right: judgement.right))
        #expect(follower.player.snapshot().counters.underruns == 0)
      }
    }

    @Test("plays the list's frame at each frame of the transport, after 20 random locates")
    func locates() throws {
      let directory = TemporaryDirectory()
      let tracks = try makeTracks(in: directory)
      try JACKServer.with(.waiting()) { _ in
        let follower = try Follower(tracks)
        defer { follower.close() }
        let recorder = try JACKRecorder(
          [follower.port], capacityFrames: 4_000_000, recordsTransport: true)
        defer { recorder.close() }
        #expect(eventually { follower.isPlaying })
        var random = SplitMix(state: 11)
        recorder.startTransport()
        for _ in 0..<20 {
          let frame = UInt32.random(in: 0..<800_000, using: &random)
          let isThere = recorder.locateTransport(frame, andHear: 4800)
          #expect(isThere, "\(frame)")
        }
        let judgement = judge(recorder.samples[0], recorder.transportFrames)
        #expect(judgement.right > 20 * 4800, "\(judgement)")
        #expect(judgement == Judgement(right: judgement.right))
        #expect(follower.player.snapshot().counters.underruns == 0)
      }
    }

    @Test("is in step to the sample with another follower")
    func twoFollowers() throws {
      let directory = TemporaryDirectory()
      let tracks = try makeTracks(in: directory)
      try JACKServer.with(.waiting()) { _ in
        let followers = try [Follower(tracks), Follower(tracks, name: "other")]
        defer { for follower in followers { follower.close() } }
        let recorder = try JACKRecorder(
          followers.map(\.port), capacityFrames: 2_000_000, recordsTransport: true)
        defer { recorder.close() }
        #expect(eventually { followers.allSatisfy(\.isPlaying) })
        recorder.startTransport()
        for frame in [0, 700_000, 123_456, 479_000] as [UInt32] {
          #expect(recorder.locateTransport(frame, andHear: 9600))
        }
        let samples = recorder.samples
        let isSame = samples[0] == samples[1]
        #expect(isSame)
        let judgement = judge(samples[0], recorder.transportFrames)
        #expect(judgement == Judgement(right: judgement.right))
        #expect(judgement.right > 4 * 9600)
      }
    }

    @Test("joins a rolling transport at its position")
    func joins() throws {
      let directory = TemporaryDirectory()
      let tracks = try makeTracks(in: directory)
      try JACKServer.with(.waiting()) { _ in
        let recorder = try JACKRecorder([], capacityFrames: 1)
        defer { recorder.close() }
        recorder.locateTransport(400_000)
        recorder.startTransport()
        #expect(eventually { recorder.transport.frame > 400_000 })
        let follower = try Follower(tracks)
        defer { follower.close() }
        let listener = try JACKRecorder(
          [follower.port], capacityFrames: 1_000_000, recordsTransport: true, name: "listener")
        defer { listener.close() }
        // A rolling transport does not wait for a client that joins.
        #expect(eventually { judge(listener.samples[0], listener.transportFrames).right > 9600 })
        let judgement = judge(listener.samples[0], listener.transportFrames)
        #expect(judgement.wrong == 0 && judgement.silent < 48000, "\(judgement)")
        #expect(follower.player.snapshot().counters.underruns == 0)
      }
    }

    @Test("is silent and ready behind the end of its list, and comes back")
    func behindTheEnd() throws {
      let directory = TemporaryDirectory()
      let tracks = try makeTracks(in: directory)
      try JACKServer.with(.waiting()) { _ in
        let follower = try Follower(tracks)
        defer { follower.close() }
        let recorder = try JACKRecorder(
          [follower.port], capacityFrames: 1_000_000, recordsTransport: true)
        defer { recorder.close() }
        #expect(eventually { follower.isPlaying })
        #expect(recorder.rollTransport(from: 1_000_000))
        let count = recorder.frameCount
        #expect(eventually { recorder.frameCount > count + 9600 })
        let silent = judge(recorder.samples[0], recorder.transportFrames)
        #expect(silent == Judgement(silent: silent.silent))
        let back = recorder.frameCount
        recorder.stopTransport()
        #expect(recorder.rollTransport(from: 900_000))
        #expect(eventually { recorder.transport.frame > 915_000 })
        let times = recorder.transportFrames
        let start = try #require(times[back...].firstIndex(of: 900_000))
        let judgement = judge(recorder.samples[0], times, from: start)
        #expect(judgement.right == 12_000 && judgement.wrong == 0, "\(judgement)")
        #expect(follower.player.snapshot().counters.underruns == 0)
      }
    }

    @Test(
      "resumes at the right frame if the transport did not wait for late data, and counts that")
    func lateData() throws {
      let directory = TemporaryDirectory()
      let path = try makeTracks(in: directory, [2_880_000])[0]
      let web = LoopbackHTTPServer()
      defer { web.stop() }
      let gate = Gate()
      defer { gate.open() }
      web.serve("/track", .file(path, type: "audio/wav", ranges: .honoured))
      try JACKServer.with(.waiting()) { _ in
        let follower = try Follower([web.url("/track")])
        defer { follower.close() }
        let recorder = try JACKRecorder(
          [follower.port], capacityFrames: 2_000_000, recordsTransport: true)
        defer { recorder.close() }
        recorder.setSyncTimeout(microseconds: 100_000)
        #expect(eventually { follower.isPlaying })
        recorder.startTransport()
        #expect(recorder.locateTransport(2_400_000, andHear: 4800))
        recorder.stopTransport()
        #expect(eventually { !recorder.transport.isRolling })
        var plan = ResponsePlan.file(path, type: "audio/wav", ranges: .honoured)
        plan.fault = .stall(afterBytes: 0, until: gate)
        web.serve("/track", plan)
        let start = recorder.frameCount
        #expect(recorder.rollTransport(from: 100_000))
        #expect(eventually { recorder.transport.frame > 105_000 })
        #expect(follower.player.snapshot().counters.underruns == 1)
        gate.open()
        #expect(
          eventually {
            judge(recorder.samples[0], recorder.transportFrames, from: start).right > 9600
          })
        let judgement = judge(recorder.samples[0], recorder.transportFrames, from: start)
        #expect(judgement.wrong == 0 && judgement.unasked == 0, "\(judgement)")
        #expect(judgement.silent > 4800, "\(judgement)")
      }
    }

    @Test("follows without a gap while the server freewheels")
    func freewheel() throws {
      let directory = TemporaryDirectory()
      let tracks = try makeTracks(in: directory)
      try JACKServer.with(.waiting()) { _ in
        let follower = try Follower(tracks)
        defer { follower.close() }
        let recorder = try JACKRecorder(
          [follower.port], capacityFrames: 40_000_000, recordsTransport: true)
        defer { recorder.close() }
        #expect(eventually { follower.isPlaying })
        try recorder.setFreewheel(true)
        #expect(eventually { follower.output.isFreewheeling })
        for frame in [300_000, 0, 600_000] as [UInt32] {
          recorder.startTransport()
          #expect(recorder.locateTransport(frame, andHear: 911_999 - Int(frame)))
        }
        recorder.stopTransport()
        try recorder.setFreewheel(false)
        let (samples, times) = (recorder.samples[0], recorder.transportFrames)
        var judgement = Judgement()
        for index in samples.indices where times[index] < 912_000 {
          let one = judge([samples[index]], [times[index]])
          judgement.right += one.right
          judgement.wrong += one.wrong
          judgement.silent += one.silent
          judgement.unasked += one.unasked
        }
        #expect(judgement.right > 3 * 300_000, "\(judgement)")
        #expect(judgement == Judgement(right: judgement.right))
      }
    }

    @Test("follows the transport of a server that returns")
    func serverReturns() throws {
      let directory = TemporaryDirectory()
      let tracks = try makeTracks(in: directory)
      try JACKServer.with(.waiting()) { first in
        var server = first
        defer { server.stop() }
        let follower = try Follower(tracks)
        defer { follower.close() }
        var recorder = try JACKRecorder(
          [follower.port], capacityFrames: 500_000, recordsTransport: true)
        #expect(eventually { follower.isPlaying })
        #expect(recorder.rollTransport(from: 100_000))
        #expect(eventually { recorder.transport.frame > 110_000 })
        recorder.close()
        server.kill()
        #expect(eventually { follower.output.isServerShutDown })
        server = try JACKServer.start(.waiting(period: 128))
        #expect(eventually { !follower.output.isServerShutDown })
        recorder = try JACKRecorder(
          [follower.port], capacityFrames: 500_000, recordsTransport: true)
        defer { recorder.close() }
        // The new server's transport is at 0.
        #expect(follower.output.transport?.state == .stopped)
        recorder.startTransport()
        #expect(eventually { recorder.transport.frame > 9600 })
        #expect(recorder.rollTransport(from: 500_000))
        #expect(eventually { recorder.transport.frame > 510_000 })
        let judgement = judge(recorder.samples[0], recorder.transportFrames)
        #expect(judgement == Judgement(right: judgement.right))
        #expect(judgement.right > 19_000)
      }
    }

    @Test("reports the transport's position, and starts, stops and locates it")
    func steering() throws {
      try JACKServer.with { _ in
        try OutputTests.withIdleOutput { output, _ in
          #expect(output.transport?.state == .stopped && output.transport?.frame == 0)
          output.locateTransport(toFrame: 4800)
          #expect(eventually { output.transport?.frame == 4800 })
          #expect(output.transport?.nanoseconds == 100_000_000)
          output.startTransport()
          #expect(eventually { output.transport?.state == .rolling })
          #expect(eventually { (output.transport?.frame ?? 0) > 9600 })
          output.locateTransport(toNanoseconds: 10_000_000_000)
          #expect(eventually { (output.transport?.frame ?? 0) >= 480_000 })
          output.stopTransport()
          #expect(eventually { output.transport?.state == .stopped })
          output.close()
          #expect(output.transport == nil)
          output.startTransport()
        }
      }
    }
  }
}
