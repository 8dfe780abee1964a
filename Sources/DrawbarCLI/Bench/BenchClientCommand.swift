// SPDX-License-Identifier: MIT

import ArgumentParser
import FoundationEssentials
import Glibc
import PlayerEngine
import TimingReport

/// `drawbar bench client`: one measured run in a separate process, whose resource use is measured, too.
/// Started by `drawbar bench`; writes a `TimingRun` as JSON to standard output.
struct BenchClientCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "client", abstract: "Measure one run, and write it as JSON.", shouldDisplay: false)

  @Option var server: String
  @Option var seconds = 10.0
  @Option var warmUp = 1.0
  @Option var input: String?
  @Option var inputName = "silence"
  @Option var streams = 1
  @Option var decode = DecodeOption.auto
  @Option var load = "none"
  @Option var repetition = 0
  @Option(help: "Of each period, how much a callback computes; 0 to 1.")
  var busy: Double?
  @Flag(help: "An empty callback in C instead.")
  var floor = false

  func run() throws {
    let signals = TerminationSignals()
    try Failure.reporting {
      let subject: any MeasuredClient =
        floor
        ? try FloorSubject(server: server)
        : try EngineSubject(
          server: server, input: input, streams: streams, decoderThread: decode.thread,
          busyShare: busy
        )
      defer { subject.close() }
      guard var run = try measure(subject, signals) else { return false }
      run.conditions = TimingConditions(
        periodFrames: run.conditions.periodFrames, sampleRate: run.conditions.sampleRate,
        input: inputName, streams: streams, load: load)
      run.repetition = repetition
      return Failure.write(try JSONEncoder().text(of: run) + "\n", to: STDOUT_FILENO)
    }
  }

  /// - Returns: nil if a signal ended the run.
  private func measure(
    _ subject: any MeasuredClient, _ signals: TerminationSignals
  ) throws -> TimingRun? {
    // Many streams take a while to start.
    let limit = ContinuousClock.now + .seconds(30)
    while try !subject.isReady() {
      if ContinuousClock.now > limit { throw BenchFailure("the input did not begin to play") }
      if signals.take() { return nil }
      usleep(20_000)
    }
    guard try wait(for: warmUp, signals, everyMicroseconds: 100_000, { _ = try subject.isReady() })
    else { return nil }
    subject.begin()
    let meter = ProcessMeter()
    let interval = CycleReading.intervalMicroseconds
    guard try wait(for: seconds, signals, everyMicroseconds: interval, { subject.take() }) else {
      return nil
    }
    let cost = meter.cost
    var run = subject.finish()
    run.locksMemory = ProcessMeter.locksMemory
    run.process = cost
    return run
  }

  /// - Returns: false if a signal ended the wait.
  private func wait(
    for seconds: Double, _ signals: TerminationSignals, everyMicroseconds interval: UInt32,
    _ look: () throws -> Void
  ) throws -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < end {
      if signals.take() { return false }
      try look()
      usleep(interval)
    }
    return true
  }
}

/// A JACK client whose cycles are measured.
protocol MeasuredClient {
  /// Returns true if the client is ready to be measured. Polled until it is, and during the warm-up.
  ///
  /// - Throws: `BenchFailure` if it can never be ready.
  func isReady() throws -> Bool
  /// Starts the measurement.
  func begin()
  /// Adds the cycles since the last call to the measurement.
  func take()
  /// Ends the measurement and returns it. Its conditions contain only the period and the rate.
  func finish() -> TimingRun
  func close()
}
