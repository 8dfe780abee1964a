// SPDX-License-Identifier: MIT

import Glibc
import JACKRemoteIO
import RenderCore
import TestKit
import Testing
import TimingReport

extension OutputTests {
  /// Faults that are put in on purpose, on a real server with cycles of 64 frames, and what the judge calls
  /// them: 99 of 100 have their name, on a machine that adds no faults of its own.
  @Suite("a cycle that goes wrong", .timeLimit(.minutes(2)))
  struct Faults {
    /// How often each fault is put in.
    private static let count = 100
    /// How often it has to have its name.
    private static let named = 99

    @Test("is over budget when the callback computes for 3 ms")
    func overBudget() throws {
      try expect(.overBudget) { _, callback, _ in callback.ask(for: .computing) }
    }

    @Test("is preempted when a thread of higher priority takes the processor from the callback")
    func preempted() throws {
      try expect(.preempted) { _, callback, _ in callback.ask(for: .intruder) }
    }

    @Test("is woken late when a thread of higher priority has the processor between two cycles")
    func wokenLate() throws {
      try expect(.wokenLate) { _, callback, output in
        // At a cycle's end there is most of a period before the next.
        let cycle = output.cycleCount
        while output.cycleCount == cycle { usleep(50) }
        callback.intrude()
      }
    }

    @Test("is the server's when the server stands still for 3 ms")
    func server() throws {
      try expect(.server) { server, _, _ in
        server.freeze()
        usleep(UInt32(CycleFault.nanoseconds / 1000))
        server.thaw()
      }
    }

    @Test("is starved when the ring is empty")
    func starved() throws {
      try Self.withServer { _, output, renderer in
        let source = renderer.addSource(holdsAfterUnderrun: false)
        let control = source.control
        var packets = try SilentPackets(source.feed)
        control.mode = .play
        var watch = CauseWatch(output)
        var found = 0
        for _ in 0..<Self.count {
          let played = control.counters.packets
          try packets.write()
          #expect(eventually { control.counters.packets > played })
          let underruns = control.counters.underruns
          watch.skip()
          #expect(eventually { control.counters.underruns > underruns + 3 })
          if watch.bad(within: 20).contains(where: { $0.cause == .starved }) { found += 1 }
        }
        #expect(found >= Self.named)
      }
    }

    /// Puts a fault in again and again, and expects a bad cycle after each to have this cause.
    private func expect(
      _ cause: CycleCause,
      when putIn: (JACKServer, FaultyCallback, RemoteIO) -> Void
    ) throws {
      try Self.withServer { server, output, renderer in
        let callback = FaultyCallback()
        let handle = unsafe renderer.addCallback(renderFaulty, context: callback.state)
        defer {
          #expect(renderer.remove(handle))
          withExtendedLifetime(callback) {}
        }
        // The client's callback and the intruder on the one processor, the server on the other.
        let intruder = try Intruder(callback)
        defer { intruder.end() }
        try Processors.pin(process: getpid(), isRealtimeOnly: true, to: 0)
        let serverID = try #require(server.pid)
        try Processors.pin(process: serverID, isRealtimeOnly: false, to: 1)
        var watch = CauseWatch(output)
        watch.wait(cycles: 400)
        var found = 0
        var others: [[CycleCause]] = []
        for _ in 0..<Self.count {
          watch.waitForQuiet()
          putIn(server, callback, output)
          let bad = watch.bad(within: 20)
          // Others may be there, too: the machine has other things to do.
          if bad.contains(where: { $0.cause == cause }) {
            found += 1
          } else {
            others.append(bad.map(\.cause))
          }
        }
        // What the machine does at the same time hides as many of ours as it makes such stretches bad.
        let hidden = Int((watch.disturbedShare * Double(Self.count)).rounded(.up))
        #expect(found >= Self.named - hidden, "\(others), and \(hidden) may be hidden")
      }
    }

    private static func withServer(
      _ body: (JACKServer, RemoteIO, Renderer) throws -> Void
    ) throws {
      var options = JACKServer.Options()
      options.period = 64
      try JACKServer.with(options) { server in
        let output = try RemoteIO(configuration())
        let renderer = Renderer(sampleRate: output.sampleRate, outputChannels: 2)
        defer { output.close() }
        try output.start(rendering: renderer)
        try body(server, output, renderer)
      }
    }
  }
}

/// Judges an output's cycles as they come.
private struct CauseWatch {
  private let output: RemoteIO
  private var recorder: TimingRecorder
  private var stretches = 0
  private var disturbedStretches = 0

  /// Cycles that a fault of 3 ms reaches: what it takes, what the server makes of it, and one before.
  private static let reach: UInt64 = 5

  /// Of the stretches as long as a fault that ``waitForQuiet()`` has seen, the share that had bad cycles
  /// although none was put in.
  var disturbedShare: Double { Double(disturbedStretches) / Double(max(stretches, 1)) }

  init(_ output: RemoteIO) {
    self.output = output
    recorder = TimingRecorder(
      output.cycleLog, sampleRate: output.sampleRate, warmUpNanoseconds: 0,
      threadUsage: { output.processThreadUsage })
  }

  /// Judges what there is, and lets go of what is found.
  mutating func skip() { recorder.take() }

  /// Waits for so many cycles.
  mutating func wait(cycles: UInt64) {
    let wanted = output.cycleCount + cycles
    #expect(eventually { output.cycleCount >= wanted })
    skip()
  }

  /// Waits for cycles in which nothing goes wrong: a machine that has other things to do than this at times
  /// would add its own faults to those that are put in.
  mutating func waitForQuiet() {
    skip()
    var quiet = 0
    let isQuiet = eventually {
      stretches += 1
      if bad(within: Self.reach).isEmpty {
        quiet += 1
      } else {
        disturbedStretches += 1
        quiet = 0
      }
      return quiet == 4
    }
    #expect(isQuiet)
  }

  /// The bad ones among the next cycles.
  mutating func bad(within cycles: UInt64) -> [BadCycle] {
    let wanted = output.cycleCount + cycles
    #expect(eventually { output.cycleCount >= wanted })
    let bad = recorder.take()
    #expect(recorder.lostRecords == 0)
    return bad
  }
}
