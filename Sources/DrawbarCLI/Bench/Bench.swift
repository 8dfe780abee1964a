// SPDX-License-Identifier: MIT

import AudioModel
import FoundationEssentials
import Glibc
import PlayerEngine
import TimingReport

/// Runs what `drawbar bench` measures, one run after the other.
final class Bench {
  /// The share of a run's duration that is spent on measuring stalls before it.
  private static let stallShare = 0.05
  /// The length of one stall measurement. Ctrl-C is checked between two of them.
  private static let stallSliceNanoseconds: UInt64 = 100_000_000

  private let command: BenchRunCommand
  private let isCancelled: () -> Bool
  private let inputs: [BenchInput]
  private let showsProgress = isatty(STDERR_FILENO) == 1
  /// The runs measured so far.
  private(set) var runs: [TimingRun] = []
  /// The results of the limit scenario.
  private(set) var sustainableLoads: [SustainableLoad] = []
  /// The stalls of the machine itself; nil if they were not measured.
  private(set) var stalls: MachineStalls?
  /// Lines printed below the table.
  private(set) var conclusions: [String] = []

  /// The client that a run measures.
  struct Subject {
    /// An empty callback in C.
    var isFloor = false
    var input: BenchInput
    var streams = 1
    /// The share of each period that the callback spends computing.
    var busyShare: Double?
  }

  /// - Throws: the error of an input that cannot be played.
  init(_ command: BenchRunCommand, isCancelled: @escaping () -> Bool) throws {
    self.command = command
    self.isCancelled = isCancelled
    inputs =
      command.input.isEmpty
      ? [.silence] : try command.input.map { try BenchInput($0, decoding: command.decode) }
  }

  /// Runs the requested scenario on each server.
  func run() throws {
    if let name = command.server {
      return try measure(on: BenchServer(running: name), periodFrames: nil)
    }
    for periodFrames in try command.chosenPeriods() {
      let server = try BenchServer(
        sampleRate: command.rate, periodFrames: periodFrames, isCancelled: isCancelled)
      try measure(on: server, periodFrames: periodFrames)
    }
  }

  private func measure(on server: BenchServer, periodFrames: Int?) throws {
    switch command.scenario {
    case .playing: try measurePlaying(on: server, periodFrames: periodFrames)
    case .limit: try findLimit(on: server)
    case .streams: try findStreams(on: server)
    }
  }

  private func measurePlaying(on server: BenchServer, periodFrames: Int?) throws {
    let loads = try command.chosenLoads()
    let subjects =
      [Subject(isFloor: true, input: .silence, streams: 0)]
      + inputs.map { Subject(input: $0, streams: $0.path == nil ? 0 : command.streams) }
    for repetition in 0..<command.repetitions {
      for load in loads {
        let loading = try load.start()
        defer { for process in loading { process.terminate() } }
        for subject in subjects {
          show(
            "\(periodFrames.map { "\($0) frames, " } ?? "")load \(load.rawValue), run \(repetition + 1) of "
              + "\(command.repetitions): \(subject.isFloor ? "empty client" : subject.input.name)")
          runs.append(try measure(subject, on: server, load: load, repetition: repetition))
        }
      }
    }
  }

  /// Bisects the share of the period that a callback may take, in 64ths.
  private func findLimit(on server: BenchServer) throws {
    var works = 0
    var fails = 64
    while fails - works > 1 {
      let tried = (works + fails) / 2
      show("a callback that takes \(tried * 100 / 64) % of the period")
      let run = try measure(
        Subject(input: .silence, streams: 0, busyShare: Double(tried) / 64), on: server,
        load: .none, repetition: 0)
      if isSustained(run) { works = tried } else { fails = tried }
      if sustainableLoads.last?.periodFrames != run.conditions.periodFrames {
        sustainableLoads.append(
          SustainableLoad(periodFrames: run.conditions.periodFrames, share: 0))
      }
      sustainableLoads[sustainableLoads.count - 1].share = Double(works) / 64
    }
    guard let found = sustainableLoads.last else { return }
    conclusions.append(
      "\(found.periodFrames) frames: a callback may take \(Int((found.share * 100).rounded())) % of the period"
    )
  }

  /// Returns true if at most one cycle in a thousand went wrong.
  private func isSustained(_ run: TimingRun) -> Bool {
    run.cycles > 0 && run.causes.values.reduce(0, +) * 1000 <= run.cycles
  }

  private func findStreams(on server: BenchServer) throws {
    let input = inputs[0]
    var works = 0
    var fails: Int?
    var tried = 1
    while fails.map({ $0 - works > max(1, works / 20) }) ?? true, tried <= 1024 {
      // Other programs may make a cycle late, so each number of streams has several tries.
      var isInBudget = false
      for repetition in 0..<command.repetitions where !isInBudget {
        show("\(tried) stream\(tried == 1 ? "" : "s") of \(input.name), try \(repetition + 1)")
        let run = try measure(
          Subject(input: input, streams: tried), on: server, load: .none, repetition: repetition)
        runs.append(run)
        isInBudget =
          run.cycles > 0 && run.count(of: .overBudget) == 0 && run.count(of: .starved) == 0
      }
      if isInBudget { works = tried } else { fails = tried }
      tried = fails.map { (works + $0) / 2 } ?? tried * 2
      if tried == works { break }
    }
    conclusions.append(
      "\(input.name): \(works) stream\(works == 1 ? "" : "s") in one client without a cycle over budget"
    )
  }

  /// Measures one run in a separate process.
  private func measure(
    _ subject: Subject, on server: BenchServer, load: BenchLoad, repetition: Int
  ) throws -> TimingRun {
    try measureStalls()
    var arguments = [
      // A value joined to its option with `=` may begin with a dash.
      "bench", "client", "--server=\(server.name)", "--seconds", "\(command.seconds)",
      "--input-name=\(subject.input.name)", "--streams", "\(subject.streams)", "--load",
      load.rawValue, "--repetition", "\(repetition)",
    ]
    if subject.isFloor { arguments.append("--floor") }
    if let path = subject.input.path { arguments.append("--input=\(path)") }
    arguments += ["--decode", command.decode.rawValue]
    if let share = subject.busyShare { arguments += ["--busy", "\(share)"] }
    let child = try ChildProcess(OwnProgram.path, arguments, isHeard: true, showsErrors: true)
    let (output, isWell) = try child.wait(isCancelled: isCancelled)
    guard isWell, let run = try? JSONDecoder().decode(TimingRun.self, from: Data(output)) else {
      throw BenchFailure("a run failed; why stands above")
    }
    return run
  }

  /// Measures the machine's stalls between runs, so that other activity affects stalls and runs alike. Skipped on a
  /// running server, because the loop would delay its clients.
  private func measureStalls() throws {
    guard command.server == nil else { return }
    var left = UInt64(command.seconds * Self.stallShare * 1_000_000_000)
    var found = stalls ?? MachineStalls()
    while left > 0 {
      if isCancelled() { throw BenchFailure.cancelled }
      let slice = min(Self.stallSliceNanoseconds, left)
      found.add(StallLoop.measure(nanoseconds: slice))
      left -= slice
    }
    stalls = found
  }

  private func show(_ text: String) {
    if showsProgress { Failure.write(text.asMessage + "\n", to: STDERR_FILENO) }
  }
}

/// An input of a benchmark.
struct BenchInput {
  /// The file's path; nil for silence.
  var path: String?
  /// The name in reports.
  var name: String

  static let silence = BenchInput(path: nil, name: "silence")

  /// Opens the file to check that it can be played, and reads its format.
  init(_ word: String, decoding: DecodeOption) throws {
    if word == "silence" {
      self = .silence
      return
    }
    let reader = try TrackReader(opening: word)
    let format = try reader.readInformation().dataFormat
    path = word
    let file = reader.name.split(separator: "/").last ?? "a file"
    let place =
      switch decoding {
      case .auto: ""
      case .callback: ", decoded in the callback"
      case .ahead: ", decoded ahead"
      }
    name = "\(file) (\(format.formatID), \(Int(format.sampleRate)) Hz\(place))"
  }

  private init(path: String?, name: String) {
    self.path = path
    self.name = name
  }
}
