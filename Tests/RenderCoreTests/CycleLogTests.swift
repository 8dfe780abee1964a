// SPDX-License-Identifier: MIT

import AudioModel
import CRealtimeScope
import Glibc
import Synchronization
import TestKit
import Testing

@testable import RenderCore

@Suite("The log of cycles")
struct CycleLogTests {
  private static func append(_ number: UInt32, to log: CycleLog) {
    var recorder = CycleRecorder()
    recorder.facts.frameTime = number
    recorder.facts.frameCount = number
    recorder.facts.wakeFrames = number
    recorder.facts.missedFrames = number
    recorder.facts.xruns = UInt64(number)
    recorder.finish(in: log.storage)
  }

  private static func takeWork(of renderer: Renderer) -> RenderWork {
    var facts = CycleFacts()
    facts.takeWork(of: renderer.context)
    return facts.work
  }

  private static func rest(of reader: inout CycleLogReader) -> [CycleRecord] {
    var records: [CycleRecord] = []
    while let record = reader.next() { records.append(record) }
    return records
  }

  @Test("Records are read in their order, by each reader from where it began")
  func order() throws {
    let log = CycleLog()
    var first = log.reader()
    let none = first.next()
    #expect(none == nil)
    for number in 0..<10 as Range<UInt32> { Self.append(number, to: log) }
    var late = log.reader()
    var whole = log.reader(fromOldest: true)
    for number in 10..<20 as Range<UInt32> { Self.append(number, to: log) }
    #expect(Self.rest(of: &first).map(\.index) == Array(0..<20))
    #expect(Self.rest(of: &whole).map(\.frameTime) == Array(0..<20))
    #expect(Self.rest(of: &late).map(\.index) == Array(10..<20))
    #expect(log.recordedCycles == 20 && first.lostRecords == 0)
  }

  @Test("A late reader continues with the oldest record and reports how many it lost")
  func overwritten() {
    let log = CycleLog()
    var reader = log.reader()
    let count = UInt32(CycleLog.capacity + 1000)
    for number in 0..<count { Self.append(number, to: log) }
    #expect(Self.rest(of: &reader).map(\.index) == Array(1000..<UInt64(count)))
    #expect(reader.lostRecords == 1000)
    var oldest = log.reader(fromOldest: true)
    #expect(Self.rest(of: &oldest).count == CycleLog.capacity)
  }

  @Test("Each record is read whole while the writer overwrites the log")
  func concurrent() {
    let log = CycleLog()
    let count: UInt32 = 300_000
    var reader = log.reader()
    let writer = JoinableThread {
      for number in 0..<count { Self.append(number, to: log) }
    }
    var read: UInt64 = 0
    var torn = 0
    var next: UInt64 = 0
    while true {
      let isComplete = log.recordedCycles == UInt64(count)
      guard let record = reader.next() else {
        if isComplete { break }
        continue
      }
      read += 1
      let number = UInt32(record.index)
      if record.frameTime != number || record.frameCount != Int(number)
        || record.wakeFrames != Int(number) || record.missedFrames != Int(number)
        || record.xruns != number || record.index < next
      {
        torn += 1
      }
      next = record.index + 1
    }
    writer.join()
    #expect(torn == 0)
    #expect(read + reader.lostRecords == UInt64(count))
  }

  @Test("A record holds every fact of its cycle, and clamps values that do not fit")
  func facts() throws {
    let log = CycleLog()
    var reader = log.reader()
    var recorder = CycleRecorder()
    recorder.facts.frameTime = .max
    recorder.facts.frameCount = 64
    recorder.facts.work.isStarved = true
    recorder.facts.work.packets = 70_000_000
    recorder.facts.work.bufferedNanoseconds = 1_234_567_890
    recorder.facts.isHeld = true
    recorder.facts.isFreewheeling = true
    recorder.facts.isMeasured = false
    recorder.facts.missedFrames = 65
    recorder.finish(in: log.storage)
    let next = reader.next()
    let record = try #require(next)
    #expect(record.frameTime == .max && record.frameCount == 64)
    #expect(record.isStarved && record.isHeld && record.isFreewheeling && !record.isMeasured)
    #expect(record.packets == 67_108_863 && record.bufferedNanoseconds == 1_234_567_890)
    #expect(record.missedFrames == 65 && record.missedCycles == 2)
  }

  @Test("Times are those of CLOCK_MONOTONIC_RAW, also long after the log was made")
  func times() throws {
    let log = CycleLog()
    var reader = log.reader()
    for _ in 0..<3 {
      let before = drawbar_monotonic_nanoseconds()
      var recorder = CycleRecorder()
      usleep(20_000)
      recorder.facts.frameCount = 64
      recorder.finish(in: log.storage)
      let after = drawbar_monotonic_nanoseconds()
      let next = reader.next()
      let record = try #require(next)
      // After ten microseconds the scale is exact to a hundredth, and it improves from then on.
      let tolerance: UInt64 = 100_000
      #expect(record.entryNanoseconds + tolerance > before)
      let end = record.entryNanoseconds + record.durationNanoseconds
      #expect(end < after + tolerance && record.durationNanoseconds > 19_900_000)
      #expect(record.wasPreempted == true)
    }
  }

  /// The number of times that this thread has lost or given up its processor.
  private var switches: Int {
    var usage = rusage()
    // 1 is RUSAGE_THREAD, which Glibc's module leaves out.
    unsafe getrusage(1, &usage)
    return usage.ru_nvcsw + usage.ru_nivcsw
  }

  @Test("The preemption watch distinguishes a thread that keeps its processor from one that slept")
  func preemption() {
    drawbar_prepare_preemption_watch()
    var kept = 0
    for _ in 0..<1000 {
      drawbar_watch_preemption()
      if drawbar_end_preemption_watch() == .none { kept += 1 }
    }
    // Another thread may have preempted this one a few times.
    #expect(kept > 900)
    // A sleep whose time is over at once keeps the processor; the kernel counts the real switches.
    var slept = 0
    while slept < 10 {
      drawbar_watch_preemption()
      let before = switches
      usleep(100)
      let hasSlept = switches > before
      let answer = drawbar_end_preemption_watch()
      if hasSlept {
        slept += 1
        #expect(answer == .some)
      }
    }
    // Without a watch the processor is not known to have been kept, so the answer is `some`.
    #expect(drawbar_end_preemption_watch() == .some)
  }

  @Test("The work of sources and callbacks is returned to its first reader only")
  func work() throws {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 1)
    let source = renderer.addSource(holdsAfterUnderrun: false)
    var feed = source.feed
    let format = AudioStreamBasicDescription.linearPCM(
      sampleRate: 48000, channels: 1, bitsPerChannel: 32, flags: [.float, .packed])
    let samples = [Float](repeating: 0.5, count: 96)
    for packet in 0..<3 as Range<Int64> {
      let metadata = PacketMetadata(
        flushSerial: 0, packetIndex: packet, firstFrame: packet * 96, frameCount: 96,
        trimStartFrames: 0, trimEndFrames: 0, byteOffset: packet * 384,
        durationNanoseconds: 2_000_000)
      let isTaken = try unsafe samples.withUnsafeBytes { bytes in
        if packet == 0 {
          _ = try unsafe feed.beginStream(
            CodedStreamDescription(format: format), firstPacket: bytes, joinsPrevious: false)
        }
        return unsafe feed.write(packet: bytes, metadata: metadata)
      }
      try #require(isTaken)
    }
    let buffer = UnsafeMutablePointer<Float>.allocate(capacity: 64)
    let outputs = UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>.allocate(capacity: 1)
    unsafe outputs.initialize(repeating: buffer)
    defer {
      unsafe buffer.deallocate()
      unsafe outputs.deallocate()
    }
    var works: [RenderWork] = []
    func render() {
      unsafe renderer.context.render(
        RenderCycle(frameCount: 64, frameTime: 0, hostNanoseconds: 0), into: outputs)
      works.append(Self.takeWork(of: renderer))
    }
    render()
    source.control.mode = .play
    for _ in 0..<6 { render() }
    #expect(works.map(\.packets) == [0, 1, 1, 0, 1, 0, 0])
    #expect(works.map(\.isStarved) == [false, false, false, false, false, true, true])
    #expect(works[0].bufferedNanoseconds == .max)
    // The ring still holds the packet that is being read.
    #expect(works[1].bufferedNanoseconds == 6_000_000)
    #expect(works[2].bufferedNanoseconds == 4_000_000)
    #expect(works[1].sourceTicks > 0 && works.allSatisfy { $0.callbackTicks == 0 })
    // The work was taken, so nothing is left.
    #expect(Self.takeWork(of: renderer).packets == 0)
  }

  @Test("The sources' time lasts to the end of the cycle, or to the next stage behind them")
  func sourceTime() {
    let renderer = Renderer(sampleRate: 48000, outputChannels: 1)
    let buffer = UnsafeMutablePointer<Float>.allocate(capacity: 64)
    let outputs = UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>.allocate(capacity: 1)
    unsafe outputs.initialize(repeating: buffer)
    defer {
      unsafe buffer.deallocate()
      unsafe outputs.deallocate()
    }
    func render() -> (work: RenderWork, cycleTicks: UInt64) {
      unsafe renderer.context.render(
        RenderCycle(frameCount: 64, frameTime: 0, hostNanoseconds: 0), into: outputs)
      let ticks = unsafe renderer.context.state.pointee.lastTicks.load(ordering: .relaxed)
      return (Self.takeWork(of: renderer), ticks)
    }
    let alone = render()
    #expect(alone.work.sourceTicks > 0 && alone.work.sourceTicks == alone.cycleTicks)
    renderer.measuresPeaks = true
    let metered = render()
    #expect(metered.work.sourceTicks > 0 && metered.work.sourceTicks < metered.cycleTicks)
    renderer.measuresPeaks = false
    _ = unsafe renderer.addCallback(
      { _, _ in
        let start = drawbar_monotonic_nanoseconds()
        while drawbar_monotonic_nanoseconds() - start < 100_000 {}
        return 0
      }, context: nil)
    let called = render()
    #expect(called.work.sourceTicks > 0 && called.work.callbackTicks > called.work.sourceTicks)
    #expect(called.work.sourceTicks + called.work.callbackTicks < called.cycleTicks)
  }
}
