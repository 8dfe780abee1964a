// SPDX-License-Identifier: MIT

import CRealtimeScope
import JACKRemoteIO
import RenderCore
import Synchronization
import TestKit
import Testing

/// A request to a callback to compute for too long.
@safe
private final class ComputingRequest {
  let isMade = UnsafeMutablePointer<Atomic<Bool>>.allocate(capacity: 1)
  var handle: RenderCallbackHandle?

  init() { unsafe isMade.initialize(to: Atomic(false)) }

  deinit {
    unsafe isMade.deinitialize(count: 1)
    unsafe isMade.deallocate()
  }

  func make() { unsafe isMade.pointee.store(true, ordering: .releasing) }

  /// Removes the callback from the renderer.
  func remove(from renderer: Renderer) {
    if let handle { #expect(renderer.remove(handle)) }
  }
}

/// Computes for two and a quarter periods of 64 frames at 48 kHz in the cycle after a request.
private func computeWhenAsked(
  _ context: UnsafeMutableRawPointer?, _: UnsafeMutablePointer<RenderCall>
) -> Int32 {
  guard let isAsked = unsafe context?.assumingMemoryBound(to: Atomic<Bool>.self) else { return -1 }
  if unsafe isAsked.pointee.exchange(false, ordering: .acquiringAndReleasing) {
    let end = drawbar_monotonic_nanoseconds() + 3_000_000
    while drawbar_monotonic_nanoseconds() < end {}
  }
  return 0
}

extension OutputTests {
  /// Cycle records on a server with cycles of 64 frames.
  @Suite("the record of a cycle")
  struct Records {
    @Test("exists for each, with its times, its frames and its time on the server's clock")
    func each() throws {
      try Self.withServer { output, _ in
        var reader = output.cycleLog.reader()
        let records = Self.records(of: output, from: &reader, cycles: 750)
        for (before, record) in zip(records, records.dropFirst()) {
          #expect(record.index == before.index + 1 && record.frameCount == 64)
          #expect(record.frameTime == before.frameTime &+ 64 && record.missedFrames == 0)
          #expect(record.entryNanoseconds > before.entryNanoseconds + before.durationNanoseconds)
          #expect(record.isMeasured && !record.isFreewheeling && !record.isHeld)
          #expect(record.packets == 0 && record.bufferedNanoseconds == nil && !record.isStarved)
        }
        let first = try #require(records.first)
        let last = try #require(records.last)
        let seconds = Double(last.entryNanoseconds - first.entryNanoseconds) / 1e9
        // Delays of the dummy driver only lengthen the time.
        #expect(seconds > Double(records.count - 1) * 64 / 48000 * 0.99, "\(seconds)")
        // A busy machine wakes some cycles late, but not most.
        let median = records.map(\.wakeFrames).sorted()[records.count / 2]
        #expect(median < 32, "\(median)")
      }
    }

    @Test("shows a callback that took too long, and the lateness of the next cycle")
    func computing() throws {
      try Self.withServer { output, renderer in
        let request = ComputingRequest()
        request.handle = unsafe renderer.addCallback(computeWhenAsked, context: request.isMade)
        for _ in 0..<10 { try Self.expectLateness(of: output, request) }
        request.remove(from: renderer)
      }
    }

    private static func expectLateness(of output: RemoteIO, _ request: ComputingRequest) throws {
      var reader = output.cycleLog.reader()
      request.make()
      let records = records(of: output, from: &reader, cycles: 20)
      let place = try #require(records.firstIndex { $0.callbackNanoseconds >= 2_990_000 })
      let record = records[place]
      #expect(record.durationNanoseconds >= record.callbackNanoseconds)
      #expect(records[place + 1].entryNanoseconds >= record.entryNanoseconds + 2_990_000)
      let others = records.filter { $0.index != record.index }.map(\.callbackNanoseconds)
      #expect(others.sorted()[others.count / 2] < 100_000)
    }

    @Test("shows the packets, the rest in the ring, and starvation")
    func source() throws {
      try Self.withServer { output, renderer in
        let source = renderer.addSource(holdsAfterUnderrun: false)
        let control = source.control
        var packets = try SilentPackets(source.feed)
        for _ in 0..<10 { try packets.write() }
        var reader = output.cycleLog.reader()
        control.mode = .play
        #expect(eventually { control.counters.underruns > 3 })
        let records = Self.records(of: output, from: &reader, cycles: 0)
        #expect(records.reduce(0) { $0 + $1.packets } == 10)
        let levels = records.compactMap(\.bufferedNanoseconds)
        #expect(levels.first == 100_000_000 && levels == levels.sorted(by: >))
        let starved = try #require(records.firstIndex { $0.isStarved })
        #expect(records[starved...].allSatisfy { $0.isStarved })
        #expect(records[..<starved].reduce(0) { $0 + $1.packets } == 10)
        #expect(records.contains { $0.sourceNanoseconds > 0 })
      }
    }

    private static func withServer(_ body: (RemoteIO, Renderer) throws -> Void) throws {
      // A server that does not wait for a late client calls it twice in one cycle, with the same time.
      try JACKServer.with(.waiting(period: 64)) { _ in
        let output = try RemoteIO(configuration())
        let renderer = Renderer(sampleRate: output.sampleRate, outputChannels: 2)
        defer { output.close() }
        try output.start(rendering: renderer)
        let wanted = output.cycleCount + 50
        #expect(eventually { output.cycleCount >= wanted })
        try body(output, renderer)
      }
    }

    /// Reads the records after `cycles` cycles.
    private static func records(
      of output: RemoteIO, from reader: inout CycleLogReader, cycles: UInt64
    ) -> [CycleRecord] {
      let wanted = output.cycleCount + cycles
      #expect(eventually { output.cycleCount >= wanted })
      var records: [CycleRecord] = []
      while let record = reader.next() { records.append(record) }
      #expect(reader.lostRecords == 0)
      return records
    }
  }
}
