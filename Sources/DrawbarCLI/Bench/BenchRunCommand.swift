// SPDX-License-Identifier: MIT

import ArgumentParser
import AudioModel
import PlayerEngine
import TimingReport

/// `drawbar bench run`, the default subcommand of `drawbar bench`: measures.
struct BenchRunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Measure the process callback (the default subcommand).",
    discussion: """
      Each run is a process of its own. Runs of every kind alternate, so that other work on the machine \
      affects all of them alike. An empty callback in C runs among them as the floor. Without --server they \
      run on a private JACK server without a sound card (jackd, dummy driver). Its figures include the \
      scheduler, JACK and the callback, but no sound card.

      Scenarios (--scenario):
        playing   plays each input, at each period, beside each load (the default)
        limit     finds for each period how much of it a callback may take
        streams   finds how many streams of an input one client can play at once

      Examples:
        drawbar bench --periods 64,256 --input song.mp3 --html report.html
        drawbar bench --load none,cpu,disk --repeat 5 --json before.json
        drawbar bench --scenario limit --periods 16,32,64,128,256,512,1024

      Times in the table are in microseconds. p99: 99 of 100 cycles are at or below this value (for headroom: \
      at or above). The line below the table counts the stalls of the machine itself, in a loop that does nothing.
      """)

  /// The kind of measurement.
  enum Scenario: String, CaseIterable, ExpressibleByArgument {
    case playing, limit, streams
  }

  @Option(help: "Scenario: playing, limit or streams.")
  var scenario = Scenario.playing

  @Option(help: ArgumentHelp("Frames per cycle, one server for each.", valueName: "n,n"))
  var periods: String?

  @Option(help: "Frames per second of the private server.")
  var rate = 48000

  @Option(help: "Measure on the JACK server of this name, at its own period.")
  var server: String?

  @Option(help: "Seconds of each run, after one second that is discarded.")
  var seconds = 10.0

  @Option(name: .customLong("repeat"), help: "Runs of each kind.")
  var repetitions = 3

  @Option(
    help: ArgumentHelp("File to play in a loop; repeatable.", valueName: "file|silence"))
  var input: [String] = []

  @Option(help: "Streams of the input to play at once.")
  var streams = 1

  @Option(help: "Thread that decodes and resamples: auto, callback or ahead, as for play.")
  var decode = DecodeOption.auto

  @Option(
    help: ArgumentHelp(
      "Other work for the machine: none, cpu, memory, disk, fork, network.",
      valueName: "load,load"))
  var load = "none"

  @OptionGroup
  var processors: CPULatencyOptions

  @OptionGroup
  var reports: BenchReportOptions

  /// The default periods in frames, except for the streams scenario.
  static let usualPeriods = [64, 256, 1024]

  func validate() throws {
    guard seconds > 0, seconds <= 86_400 else {
      throw ValidationError("--seconds must be more than 0, and at most 86400.")
    }
    guard (1...100).contains(repetitions) else {
      throw ValidationError("--repeat must be 1 to 100.")
    }
    guard (1...1024).contains(streams) else {
      throw ValidationError("--streams must be 1 to 1024.")
    }
    guard (8000...192_000).contains(rate) else {
      throw ValidationError("--rate must be 8000 to 192000.")
    }
    guard server == nil || periods == nil else {
      throw ValidationError("--periods are of a private server; one that runs has its own.")
    }
    guard scenario != .streams || input.count == 1, scenario != .streams || input != ["silence"]
    else { throw ValidationError("the streams scenario needs one --input FILE.") }
    _ = try chosenPeriods()
    _ = try chosenLoads()
  }

  func chosenPeriods() throws -> [Int] {
    guard let periods else { return scenario == .streams ? [256] : Self.usualPeriods }
    let failure = ValidationError("--periods must be numbers of 8 to 8192, with commas between.")
    let chosen = try periods.split(separator: ",").map { word in
      guard let frames = Int(word), (8...8192).contains(frames) else { throw failure }
      return frames
    }
    guard !chosen.isEmpty else { throw failure }
    return chosen
  }

  func chosenLoads() throws -> [BenchLoad] {
    let failure = ValidationError(
      "--load must be of \(BenchLoad.allCases.map(\.rawValue).joined(separator: ", ")).")
    let chosen = try load.split(separator: ",").map { word in
      guard let load = BenchLoad(rawValue: String(word)) else { throw failure }
      return load
    }
    guard !chosen.isEmpty else { throw failure }
    return chosen
  }

  func run() throws {
    // Created before any thread, so that all threads block these signals and the loops below take them.
    let signals = TerminationSignals()
    try Failure.reporting {
      // Before the measurement, reports files that cannot be written.
      try reports.check(isNoneOf: input)
      let readiness = try processors.request()
      defer { withExtendedLifetime(readiness) {} }
      let machine = MachineFacts.current(programVersion: DrawbarCommand.buildVersion)
      let steal = StealMeter()
      let bench = try Bench(self, isCancelled: { signals.take() })
      do {
        try bench.run()
      } catch let failure as BenchFailure where failure.isCancellation {
        // A cancelled benchmark still reports the runs measured so far.
        if bench.runs.isEmpty { return true }
      }
      var document = TimingDocument(
        command: commandLine, machine: machine, runs: bench.runs)
      document.machine.stealNanosecondsPerSecond = steal.stealNanosecondsPerSecond()
      document.machine.stalls = bench.stalls
      document.sustainableLoads = bench.sustainableLoads
      try reports.write(document, conclusions: bench.conclusions)
      return true
    }
  }

  /// The command line, to repeat the measurement.
  private var commandLine: String {
    (["drawbar"] + CommandLine.arguments.dropFirst()).joined(separator: " ")
  }
}
