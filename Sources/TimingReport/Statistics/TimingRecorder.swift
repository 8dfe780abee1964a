// SPDX-License-Identifier: MIT

public import RenderCore

/// Reads an output's cycle log while it runs, judges its cycles, and gathers what they were like.
///
/// ``take(pausedNanoseconds:)`` has to be called more often than the log is written over, which holds
/// `CycleLog.capacity` cycles, and at least ten times a second to tell lost processor time from spent one: the
/// more often, the shorter the losses that it sees. One thread at a time; not for the render thread.
public struct TimingRecorder {
  /// What was gathered so far.
  public private(set) var statistics: TimingStatistics
  private var reader: CycleLogReader
  private let threadUsage: () -> ThreadUsage?
  private let nodeName: (UInt32) -> String?
  private var waits = ThreadWaits()
  private let ownUsage = ThreadUsageReader()
  private var stops = ProcessStops()
  private var frameCount = 0

  /// Begins with the next cycle.
  ///
  /// - Parameters:
  ///   - log: the output's.
  ///   - sampleRate: the server's frames per second; to be set in ``sampleRate`` when that changes.
  ///   - warmUpNanoseconds: how much of the start is not counted.
  ///   - threadUsage: asks for what the callback's thread has used; nil when that is not known. A preempted
  ///     cycle is then taken to have lost all that it took too long.
  ///   - nodeName: returns the name of `CycleRecord.slowestNode`: `ProcessingGraph.nodeName(of:)` of the renderer.
  public init(
    _ log: CycleLog, sampleRate: Double,
    warmUpNanoseconds: UInt64 = TimingStatistics.warmUpNanoseconds,
    threadUsage: @escaping () -> ThreadUsage?,
    nodeName: @escaping (UInt32) -> String? = { _ in nil }
  ) {
    reader = log.reader()
    statistics = TimingStatistics(sampleRate: sampleRate, warmUpNanoseconds: warmUpNanoseconds)
    self.threadUsage = threadUsage
    self.nodeName = nodeName
  }

  /// Frames per second of the server.
  public var sampleRate: Double {
    get { statistics.sampleRate }
    set { statistics.sampleRate = newValue }
  }

  /// Cycles of which the record was written over before it was read.
  public var lostRecords: UInt64 { reader.lostRecords }

  /// Takes in the cycles since the last call. Does not wait.
  ///
  /// - Parameter pausedNanoseconds: how long the calling thread has slept on purpose since the last call; nil when that
  ///   is not known. Time that it was away beyond that shows that the whole process was stopped, for which nobody else
  ///   is blamed.
  /// - Returns: those that went wrong, oldest first.
  @discardableResult
  public mutating func take(pausedNanoseconds: UInt64? = nil) -> [BadCycle] {
    var records: [CycleRecord] = []
    while let record = reader.next() { records.append(record) }
    // Behind the records: what a cycle has used that ends in between must not be missing when it is judged.
    let usage = threadUsage()
    if let last = records.last { frameCount = last.frameCount }
    let waits = waits.estimate(records, usage: usage)
    let (thread, own) = ownUsage.usageOfCallingThread()
    stops.look(thread: thread, usage: own, pausedNanoseconds: pausedNanoseconds)
    return records.flatMap { record in
      var recordWaits = waits(record)
      recordWaits?.stoppedNanoseconds = stops.nanoseconds(at: record)
      return statistics.add(record, waits: recordWaits, nodeName: nodeName)
    }
  }

  /// Ends, and gives what was measured.
  ///
  /// - Parameters:
  ///   - subject: what ran.
  ///   - input: what was played.
  ///   - streams: sources that played at once.
  ///   - load: what else the machine had to do.
  ///   - repetition: which of several runs under the same conditions, from 0 on.
  public mutating func finish(
    subject: String, input: String, streams: Int, load: String = "none", repetition: Int = 0
  ) -> TimingRun {
    take()
    statistics.finish()
    let conditions = TimingConditions(
      periodFrames: frameCount, sampleRate: sampleRate, input: input, streams: streams, load: load)
    return statistics.run(
      subject: subject, conditions: conditions, repetition: repetition, lostRecords: lostRecords)
  }
}
