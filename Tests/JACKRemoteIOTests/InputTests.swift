// SPDX-License-Identifier: MIT

import Glibc
import JACKRemoteIO
import RenderCore
import TestKit
import Testing

extension OutputTests {
  @Suite("an input")
  struct Input {
    /// Runs two clients, one that plays the ramp and one that captures it.
    private func withRamp(
      _ options: JACKServer.Options, frames: Int, capacity: Int = 1 << 16,
      recorderOutputs: [String] = [],
      _ body: (JACKServer, RemoteIO, SourceControl, inout CaptureReader) throws -> Void
    ) throws {
      try JACKServer.with(options) { server in
        let player = try RemoteIO(configuration(clientName: "player"))
        let recorder = try RemoteIO(
          .init(
            clientName: "recorder", serverName: JACKServer.name, outputPortNames: recorderOutputs,
            connection: .none, inputPortNames: ["in_1", "in_2"],
            inputConnection: .ports(["player:out_1", "player:out_2"])))
        let playing = Renderer(sampleRate: player.sampleRate, outputChannels: 2)
        let recording = Renderer(
          sampleRate: recorder.sampleRate, outputChannels: recorderOutputs.count, inputChannels: 2)
        defer {
          recorder.close()
          player.close()
          withExtendedLifetime((playing, recording)) {}
        }
        let source = playing.addSource(ringBytes: 1 << 21, ringPackets: 1024)
        var feed = source.feed
        try Ramp.feed(&feed, frames: frames)
        var reader = recording.addCapture(capacityFrames: capacity)
        try player.start(rendering: playing.context)
        let report = try recorder.start(rendering: recording.context)
        #expect(report.connections.map(\.input) == ["recorder:in_1", "recorder:in_2"])
        try body(server, recorder, source.control, &reader)
      }
    }

    /// Repeats the attempt until the server has lost no cycle, so that the frames must be exact.
    private func withoutMissedCycles(_ attempt: () throws -> CapturedRamp) throws -> CapturedRamp? {
      for _ in 0..<8 {
        let ramp = try attempt()
        if !ramp.hasMissed { return ramp }
      }
      Issue.record("no run without a missed cycle")
      return nil
    }

    @Test("captures another client's sound, to the sample", arguments: [16, 64, 1024])
    func exact(_ period: Int) throws {
      let frames = 12_000
      let captured = try withoutMissedCycles {
        var ramp = CapturedRamp()
        try withRamp(.waiting(period: period), frames: frames) { _, _, control, reader in
          control.mode = .play
          let isComplete = ramp.read(&reader, frames: frames)
          #expect(isComplete)
          #expect(reader.counters.overrunFrames == 0)
        }
        return ramp
      }
      guard let captured else { return }
      #expect(captured.first == Ramp.sample(0, 0))
      #expect(captured.breaks.isEmpty)
      #expect(captured.gaps.isEmpty)
    }

    @Test("can be in one client with outputs")
    func duplex() throws {
      let captured = try withoutMissedCycles {
        var ramp = CapturedRamp()
        try withRamp(
          .waiting(period: 256), frames: 12_000, recorderOutputs: ["out_1"]
        ) { server, recorder, control, reader in
          let ports = try server.ports().filter { $0.name.hasPrefix("recorder:") }
          #expect(ports.map(\.name) == ["recorder:out_1", "recorder:in_1", "recorder:in_2"])
          #expect(ports[0].connections.isEmpty)
          control.mode = .play
          let isComplete = ramp.read(&reader, frames: 12_000)
          #expect(isComplete)
        }
        return ramp
      }
      #expect(captured?.breaks.isEmpty ?? true)
    }

    @Test("whose reader is late loses frames, and reports their number")
    func overrun() throws {
      let captured = try withoutMissedCycles {
        var ramp = CapturedRamp()
        try withRamp(
          .waiting(period: 256), frames: 96_000, capacity: 4096
        ) { _, _, control, reader in
          control.mode = .play
          let hasBegun = ramp.read(&reader, frames: 500)
          #expect(hasBegun)
          let end = monotonicSeconds() + 10
          while reader.counters.overrunFrames < 3000, monotonicSeconds() < end { usleep(1000) }
          #expect(reader.counters.overrunFrames >= 3000)
          let hasGoneOn = ramp.read(&reader, frames: 12_000)
          #expect(hasGoneOn)
        }
        return ramp
      }
      guard let captured else { return }
      #expect(captured.breaks.isEmpty)
      #expect(captured.gaps.count == 1)
      guard case .overrun(let frames) = captured.gaps.first?.reason else {
        Issue.record("no overrun was told")
        return
      }
      #expect(frames >= 3000)
    }

    @Test("continues through changes of the period")
    func periodChange() throws {
      let captured = try withoutMissedCycles {
        var ramp = CapturedRamp()
        try withRamp(.waiting(period: 256), frames: 96_000) { server, _, control, reader in
          control.mode = .play
          for (frames, total) in [(64, 6000), (1024, 20_000), (100, 26_000)] {
            _ = try server.run(["jack_bufsize", "\(frames)"])
            let hasGoneOn = ramp.read(&reader, frames: total)
            #expect(hasGoneOn)
          }
        }
        return ramp
      }
      guard let captured else { return }
      #expect(captured.breaks.isEmpty)
      #expect(captured.gaps.contains { $0.reason == .unmeasured })
    }

    @Test("is seen by others as a terminal input port while it is open")
    func registration() throws {
      try JACKServer.with { server in
        try withInputs(.automatic) { unit, report in
          let ports = try server.ports().filter { $0.name.hasPrefix("drawbar:") }
          #expect(ports.map(\.name) == ["drawbar:in_1", "drawbar:in_2"])
          #expect(ports.map(\.connections) == [["system:capture_1"], ["system:capture_2"]])
          #expect(ports.allSatisfy { $0.properties == ["input", "terminal"] })
          #expect(report.connections.map(\.output) == ["system:capture_1", "system:capture_2"])
          #expect(report.notes.isEmpty)
          // The dummy driver declares one period.
          #expect(eventually { unit.captureLatency == 256...256 })
          #expect(unit.playbackLatency == 0...0)
          #expect(eventually { unit.cycleCount > 5 })
          #expect(unit.close())
          #expect(unit.captureLatency == nil)
        }
        #expect(try server.ports().allSatisfy { $0.name.hasPrefix("system:") })
      }
    }

    @Test("is connected only on request, and never to the same client")
    func feedback() throws {
      try JACKServer.with { server in
        try withInputs(.none, outputs: ["out_1"]) { _, report in
          #expect(report.connections.isEmpty && report.notes.isEmpty)
        }
        for (policy, error) in [
          (
            RemoteIO.ConnectionPolicy.ports(["drawbar:out_1"]),
            RemoteIOError.ownPort("drawbar:out_1")
          ),
          (.pattern("drawbar"), .noMatchingSourcePorts(pattern: "drawbar")),
          (.ports(["system:nobody"]), .noSuchSourcePort("system:nobody")),
        ] {
          #expect(throws: error) {
            try withInputs(policy, outputs: ["out_1"]) { _, _ in }
          }
        }
        try withInputs(.automatic, outputs: ["out_1"]) { _, report in
          #expect(report.connections.map(\.output) == ["system:capture_1", "system:capture_2"])
        }
        #expect(try server.ports().allSatisfy { $0.name.hasPrefix("system:") })
      }
    }

    @Test("does not delay the close, also of a stopped server")
    func close() throws {
      try JACKServer.with { server in
        for isFrozen in [false, true] {
          try withInputs(.automatic, outputs: ["out_1"]) { unit, _ in
            #expect(eventually { unit.cycleCount > 5 })
            if isFrozen { server.freeze() }
            let start = monotonicSeconds()
            #expect(unit.close(withinMilliseconds: 500))
            #expect(monotonicSeconds() - start < 1)
            server.thaw()
          }
        }
      }
    }

    /// Opens and starts a client with two unread inputs.
    private func withInputs(
      _ policy: RemoteIO.ConnectionPolicy, outputs: [String] = [],
      _ body: (RemoteIO, RemoteIO.ConnectionReport) throws -> Void
    ) throws {
      let unit = try RemoteIO(
        .init(
          serverName: JACKServer.name, outputPortNames: outputs, connection: .none,
          inputPortNames: ["in_1", "in_2"], inputConnection: policy))
      let renderer = Renderer(
        sampleRate: unit.sampleRate, outputChannels: outputs.count, inputChannels: 2)
      defer {
        unit.close()
        withExtendedLifetime(renderer) {}
      }
      try body(unit, try unit.start(rendering: renderer.context))
    }
  }
}

/// The captured part of the ramp, from its first sample on, and its gaps.
struct CapturedRamp {
  private(set) var channels: [[Float]] = [[], []]
  /// The gaps, each before the sample with this index.
  private(set) var gaps: [(index: Int, reason: CaptureDiscontinuity)] = []
  /// The device frame of the first sample.
  private(set) var firstDeviceFrame: UInt64?

  var first: Float? { channels[0].first }

  var hasMissed: Bool {
    gaps.contains { if case .missed = $0.reason { true } else { false } }
  }

  /// Reads until the capture has `frames` frames of the ramp.
  ///
  /// - Returns: false if they did not arrive in time.
  mutating func read(_ reader: inout CaptureReader, frames: Int) -> Bool {
    let end = monotonicSeconds() + 20
    while channels[0].count < frames {
      let item = reader.read(atMost: frames - channels[0].count) { frames, channel, samples in
        for index in samples.indices where !channels[channel].isEmpty || samples[index] != 0 {
          if firstDeviceFrame == nil { firstDeviceFrame = frames.deviceFrame + UInt64(index) }
          channels[channel].append(samples[index])
        }
      }
      switch item {
      case .discontinuity(let reason):
        // Gaps before the ramp are ignored.
        if first != nil { gaps.append((channels[0].count, reason)) }
      case .frames: break
      case .empty:
        if monotonicSeconds() > end { return false }
        usleep(1000)
      }
    }
    return true
  }

  /// Indices of samples that do not follow the previous one, after allowing for reported overruns.
  var breaks: [Int] {
    let overruns = gaps.reduce(into: [Int: Int]()) { result, gap in
      if case .overrun(let frames) = gap.reason { result[gap.index, default: 0] += Int(frames) }
    }
    return (1..<channels[0].count).filter { index in
      let place =
        Ramp.index(of: channels[0][index - 1]) + 1 + overruns[index, default: 0]
      return channels[0][index] != Ramp.sample(place, 0)
        || channels[1][index] != Ramp.sample(place, 1)
    }
  }
}
