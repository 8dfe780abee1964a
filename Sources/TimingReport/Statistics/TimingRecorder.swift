// SPDX-License-Identifier: MIT

public import RenderCore

/// A recorder that reads an output's cycle log during a run, judges the cycles, and collects their statistics.
///
/// Call ``take(pausedNanoseconds:)`` before the log overwrites cycles, of which it holds `CycleLog.capacity`, and at
/// least ten times a second, to separate lost processor time from used time: more frequent calls detect shorter
/// losses. One thread at a time; not for the render thread.
public struct TimingRecorder {
  /// The statistics so far.
  public private(set) var statistics: TimingStatistics
  private var reader: CycleLogReader
  private let threadUsage: () -> ThreadUsage?
  private let nodeName: (UInt32) -> String?
  private var waits = ThreadWaits()
  private let ownUsage = ThreadUsageReader()
  private var stops = ProcessStops()
  private var frameCount = 0

  /// Starts with the next cycle.
  ///
  /// - Parameters:
  ///   - log: the output's log.
  ///   - sampleRate: the server's frames per second. Set ``sampleRate`` when that changes.
  ///   - warmUpNanoseconds: the time at the start that is not counted.
  ///   - threadUsage: returns the usage of the callback's thread; nil if it is not known. A preempted cycle that took
  ///     too long is then judged as preempted, however much it lost.
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

  /// Cycles whose record was overwritten before it was read.
  public var lostRecords: UInt64 { reader.lostRecords }

  /// Adds the cycles since the last call. Does not wait.
  ///
  /// - Parameter pausedNanoseconds: the time that the calling thread has slept on purpose since the last call; nil if
  ///   that is not known. A longer absence shows that the whole process was stopped, which is then the cause.
  /// - Returns: the bad cycles, oldest first.
  @discardableResult
  public mutating func take(pausedNanoseconds: UInt64? = nil) -> [BadCycle] {
    var records: [CycleRecord] = []
    while let record = reader.next() { records.append(record) }
    // Read after the records: the usage of a cycle that ends in between must not be missing when it is judged.
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

  /// Ends the measurement and returns it.
  ///
  /// - Parameters:
  ///   - subject: the measured client.
  ///   - input: the name of the input.
  ///   - streams: sources that played at once.
  ///   - load: the load on the machine.
  ///   - repetition: the number of the run among those under the same conditions, from 0 on.
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
