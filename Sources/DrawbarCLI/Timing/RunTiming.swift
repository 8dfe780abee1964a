// SPDX-License-Identifier: MIT

import AudioModel
import JACKRemoteIO
import SessionManagement
import TimingReport

/// The timing of a real run (`--timing`): gathers what the output's cycles are like while the command's
/// loop runs, and writes it in the end.
final class RunTiming {
  private let output: RemoteIO
  private var recorder: TimingRecorder
  private let meter = ProcessMeter()
  private let steal = StealMeter()
  private let machine = MachineFacts.current(programVersion: DrawbarVersion.text)
  private var scheduling: String?
  private let path: String

  /// Begins with the next cycle.
  ///
  /// - Throws: `TimingFileFailure` when the file cannot be written.
  init(path: String, of output: RemoteIO) throws {
    self.path = path
    self.output = output
    // What is wrong with the file is to be told before an hour is measured.
    _ = try TimingFile(path: path)
    recorder = TimingRecorder(
      output.cycleLog, sampleRate: output.sampleRate, threadUsage: { output.processThreadUsage })
  }

  /// To be called ten times a second.
  func take() {
    recorder.sampleRate = output.sampleRate
    recorder.take()
    scheduling = output.scheduling?.text ?? scheduling
  }

  /// Writes the file.
  ///
  /// - Parameters:
  ///   - command: which of the program's commands ran.
  ///   - input: what was played, without what a URL may hold that is nobody's business.
  func finish(command: String, input: String, streams: Int) throws {
    var run = recorder.finish(subject: "drawbar", input: input, streams: streams)
    run.scheduling = scheduling
    run.locksMemory = ProcessMeter.locksMemory
    run.process = meter.cost
    var machine = machine
    machine.stealNanosecondsPerSecond = steal.stealNanosecondsPerSecond()
    let document = TimingDocument(
      command: "drawbar \(command) \(input)", machine: machine, runs: [run])
    try TimingFile(path: path).write(document)
  }
}

extension SavedList {
  /// What was played, in a few words: the file's name alone, since URLs may hold passwords.
  var timingInput: String {
    guard count == 1, let track = tracks.first else {
      return count == 1 ? "standard input" : "\(count) tracks"
    }
    let path = track.location.prefix { $0 != "?" && $0 != "#" }
    return path.split(separator: "/").last.map(String.init) ?? "a file"
  }
}
