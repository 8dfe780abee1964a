// SPDX-License-Identifier: MIT

import Glibc
import JACKRemoteIO
import RenderCore
import TestKit
import Testing
import TimingReport

extension OutputTests {
  /// Faults that are put in on purpose, on a real server with cycles of 64 frames, and what the judge calls
  /// them.
  @Suite("a cycle that goes wrong", .timeLimit(.minutes(2)))
  struct Faults {
    /// How often each fault is put in.
    private static let count = 100
    /// How often it has to have its name.
    private static let named = 99
    /// How often it is put in again because the machine took a processor away meanwhile.
    private static let mostDisturbed = 1600
    /// Cycles that are looked at for one fault. The fewer, the less often a restless machine disturbs them.
    fileprivate static let watchedCycles: UInt64 = 8

    @Test("is over budget when the callback computes for 3 ms, and names it")
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
        var watch = CauseWatch(output, renderer)
        var found = 0
        for _ in 0..<Self.count {
          let played = control.counters.packets
          try packets.write()
          #expect(eventually { control.counters.packets > played })
          let underruns = control.counters.underruns
          watch.skip()
          #expect(eventually { control.counters.underruns > underruns + 3 })
          let causes = watch.bad(within: Self.watchedCycles).map(\.cause)
          if causes.contains(.starved) { found += 1 }
        }
        #expect(found >= Self.named)
      }
    }

    /// Puts a fault in again and again, and expects a bad cycle after each to have this cause. Those during
    /// which the machine took a processor away for its own ends do not count, whatever they were called.
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
        let witnesses = try (0...1).map { try StallWitness(processor: $0) }
        defer { for witness in witnesses { witness.end() } }
        var watch = CauseWatch(output, renderer)
        watch.wait(cycles: 400)
        var (found, counted, disturbed) = (0, 0, 0)
        var others: [[CycleCause]] = []
        while counted < Self.count {
          watch.waitForQuiet()
          for witness in witnesses { witness.begin() }
          putIn(server, callback, output)
          let bad = watch.bad(within: Self.watchedCycles)
          if witnesses.contains(where: { $0.hasStalled }) {
            disturbed += 1
            try #require(disturbed <= Self.mostDisturbed, "the machine is too restless to tell")
            continue
          }
          counted += 1
          // Others may be there, too: the machine has other things to do.
          let isFound = bad.contains {
            $0.cause == cause && $0.node == (cause == .overBudget ? "callback" : nil)
          }
          if isFound { found += 1 } else { others.append(bad.map(\.cause)) }
        }
        #expect(found >= Self.named, "\(others); \(disturbed) others were disturbed")
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

  init(_ output: RemoteIO, _ renderer: Renderer) {
    self.output = output
    recorder = TimingRecorder(
      output.cycleLog, sampleRate: output.sampleRate, warmUpNanoseconds: 0,
      threadUsage: { output.processThreadUsage }, nodeName: { renderer.graph.nodeName(of: $0) })
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
    #expect(eventually { bad(within: OutputTests.Faults.watchedCycles).isEmpty })
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
