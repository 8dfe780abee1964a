// SPDX-License-Identifier: MIT

import Glibc
import JACKRemoteIO
import RenderCore
import TestKit
import Testing
import TimingReport

extension OutputTests {
  /// Injected faults on a real server with cycles of 64 frames, and the causes that the judge assigns.
  @Suite("a faulty cycle", .timeLimit(.minutes(2)))
  struct Faults {
    /// The number of injections of each fault.
    private static let count = 100
    /// The least number of injections with the right cause.
    private static let named = 99
    /// The largest number of repetitions because the machine took a processor away meanwhile.
    private static let mostDisturbed = 1600
    /// Cycles examined for one fault. The fewer, the less often a busy machine disturbs them.
    fileprivate static let watchedCycles: UInt64 = 8

    @Test("is over budget when the callback computes for 3 ms, and names the callback")
    func overBudget() throws {
      try expect(.overBudget) { _, callback, _ in callback.ask(for: .computing) }
    }

    @Test("is preempted when a thread of higher priority takes the processor from the callback")
    func preempted() throws {
      try expect(.preempted) { _, callback, _ in callback.ask(for: .intruder) }
    }

    @Test("is woken late when a thread of higher priority occupies the processor between cycles")
    func wokenLate() throws {
      try expect(.wokenLate) { _, callback, output in
        // At a cycle's end, most of a period remains before the next.
        let cycle = output.cycleCount
        while output.cycleCount == cycle { usleep(50) }
        callback.intrude()
      }
    }

    @Test("is the server's when the server stops for 3 ms")
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

    /// Injects a fault repeatedly, and expects a bad cycle with this cause after each. Injections during which
    /// the machine took a processor away do not count, whatever their cause.
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
        // The client's callback and the intruder run on one processor, the server on the other.
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
          // Other bad cycles may occur, too, because other programs run on the machine.
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

/// Judges an output's cycles as they arrive.
private struct CauseWatch {
  private let output: RemoteIO
  private var recorder: TimingRecorder

  init(_ output: RemoteIO, _ renderer: Renderer) {
    self.output = output
    recorder = TimingRecorder(
      output.cycleLog, sampleRate: output.sampleRate, warmUpNanoseconds: 0,
      threadUsage: { output.processThreadUsage }, nodeName: { renderer.graph.nodeName(of: $0) })
  }

  /// Judges the records so far, and discards the result.
  mutating func skip() { recorder.take() }

  /// Waits for `cycles` cycles, and discards their judgement.
  mutating func wait(cycles: UInt64) {
    let wanted = output.cycleCount + cycles
    #expect(eventually { output.cycleCount >= wanted })
    skip()
  }

  /// Waits for cycles without a fault, because a machine busy with other programs would add its own faults to
  /// the injected ones.
  mutating func waitForQuiet() {
    skip()
    #expect(eventually { bad(within: OutputTests.Faults.watchedCycles).isEmpty })
  }

  /// The bad cycles among the next `cycles` ones.
  mutating func bad(within cycles: UInt64) -> [BadCycle] {
    let wanted = output.cycleCount + cycles
    #expect(eventually { output.cycleCount >= wanted })
    let bad = recorder.take()
    #expect(recorder.lostRecords == 0)
    return bad
  }
}
