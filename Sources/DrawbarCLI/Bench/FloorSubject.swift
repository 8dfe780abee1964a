// SPDX-License-Identifier: MIT

import CFloorClient
import JACKRemoteIO
import RenderCore
import TimingReport

/// A JACK client with an empty callback in C: the baseline for all other clients.
@safe
final class FloorSubject: MeasuredClient {
  private let client: OpaquePointer
  private var statistics: TimingStatistics
  private var lostRecords: UInt64 = 0
  private var index: UInt64 = 0
  private var last: drawbar_floor_cycle?

  init(server: String) throws {
    guard let client = unsafe drawbar_floor_open(server, "empty-client") else {
      throw BenchFailure("the JACK server \(server) does not answer")
    }
    unsafe self.client = client
    statistics = TimingStatistics(
      sampleRate: Double(unsafe drawbar_floor_sample_rate(client)), warmUpNanoseconds: 0)
  }

  func isReady() -> Bool {
    skip()
    return true
  }

  func begin() { skip() }

  func take() {
    while let cycle = next() { statistics.add(record(of: cycle)) }
  }

  func finish() -> TimingRun {
    take()
    statistics.finish()
    let conditions = TimingConditions(
      periodFrames: Int(last?.frame_count ?? 0), sampleRate: statistics.sampleRate, input: "",
      streams: 0, load: "")
    var run = statistics.run(
      subject: TimingRun.emptyClient, conditions: conditions, lostRecords: lostRecords)
    run.scheduling = ThreadScheduling(threadID: unsafe drawbar_floor_thread(client))?.text
    return run
  }

  func close() { unsafe drawbar_floor_close(client) }

  private func skip() {
    while next() != nil {}
    lostRecords = 0
    index = 0
    last = nil
  }

  private func next() -> drawbar_floor_cycle? {
    var cycle = drawbar_floor_cycle()
    let before = lostRecords
    guard unsafe drawbar_floor_take(client, &cycle, &lostRecords) else { return nil }
    index += lostRecords - before
    return cycle
  }

  private func record(of cycle: drawbar_floor_cycle) -> CycleRecord {
    var record = CycleRecord(
      index: index, entryNanoseconds: cycle.entry_nanoseconds,
      durationNanoseconds: cycle.duration_nanoseconds, frameTime: cycle.frame_time,
      frameCount: Int(cycle.frame_count))
    record.wakeFrames = Int(cycle.wake_frames)
    record.xruns = cycle.xruns
    record.wasPreempted = nil
    if let last {
      record.isMeasured = last.frame_count == cycle.frame_count
      let jump = cycle.frame_time &- last.frame_time &- last.frame_count
      // JACK calls a late client twice in a cycle, with the same frame time.
      record.missedFrames = record.isMeasured && jump < 1 << 31 ? Int(jump) : 0
    } else {
      record.isMeasured = false
    }
    index += 1
    last = cycle
    return record
  }
}
