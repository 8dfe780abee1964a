// SPDX-License-Identifier: MIT

import AudioModel
import Glibc
import JACKRemoteIO
import RenderCore
import SessionManagement
import Synchronization
import TimingReport

/// The timing of a real run (`--timing`): collects the output's cycles while the command runs, and writes them at the
/// end.
final class RunTiming {
  private let reader: CycleReading
  private let thread: JoinedThread
  private let meter = ProcessMeter()
  private let steal = StealMeter()
  private let machine = MachineFacts.current(programVersion: DrawbarCommand.buildVersion)
  private let path: String

  /// Starts with the next cycle.
  ///
  /// - Throws: `TimingFileFailure` if the file cannot be written.
  init(path: String, of output: RemoteIO, rendering renderer: Renderer) throws {
    self.path = path
    // Reports an error of the file before an hour is measured.
    _ = try TimingFile(path: path)
    let reader = CycleReading(output, renderer)
    self.reader = reader
    thread = JoinedThread(for: "the cycles' timing") { reader.run() }
  }

  deinit { endReading() }

  private func endReading() {
    reader.isEnding.store(true, ordering: .releasing)
    thread.join()
  }

  /// Writes the file.
  ///
  /// - Parameters:
  ///   - command: the command that ran.
  ///   - input: the name of the input, without the secrets that a URL may contain.
  ///   - decoding: the decoding thread and the reason for it; nil if nothing was played.
  func finish(command: String, input: String, streams: Int, decoding: String?) throws {
    endReading()
    var run = reader.recorder.finish(subject: "drawbar", input: input, streams: streams)
    run.scheduling = reader.scheduling
    run.decoding = decoding
    run.locksMemory = ProcessMeter.locksMemory
    run.process = meter.cost
    var machine = machine
    machine.stealNanosecondsPerSecond = steal.stealNanosecondsPerSecond()
    let document = TimingDocument(
      command: "drawbar \(command) \(input)", machine: machine, runs: [run])
    try TimingFile(path: path).write(document)
  }
}

/// A reader of the cycles as they come. Its properties belong to the thread until the thread ends.
final class CycleReading: @unchecked Sendable {
  /// Short enough to separate lost processor time from the thread's own use in a few cycles.
  static let intervalMicroseconds: UInt32 = 10_000

  private let output: RemoteIO
  fileprivate var recorder: TimingRecorder
  fileprivate private(set) var scheduling: String?
  fileprivate let isEnding = Atomic<Bool>(false)

  fileprivate init(_ output: RemoteIO, _ renderer: Renderer) {
    self.output = output
    recorder = TimingRecorder(
      output.cycleLog, sampleRate: output.sampleRate, threadUsage: { output.processThreadUsage },
      nodeName: { renderer.graph.nodeName(of: $0) })
  }

  fileprivate func run() {
    var readings = 0
    while !isEnding.load(ordering: .acquiring) {
      if readings.isMultiple(of: 10) {
        recorder.sampleRate = output.sampleRate
        scheduling = output.scheduling?.text ?? scheduling
      }
      recorder.take(pausedNanoseconds: UInt64(Self.intervalMicroseconds) * 1000)
      readings += 1
      usleep(Self.intervalMicroseconds)
    }
  }
}

extension SavedList {
  /// The input in a few words: the file's name alone, since URLs may contain passwords.
  var timingInput: String {
    guard count == 1, let track = tracks.first else {
      return count == 1 ? "standard input" : "\(count) tracks"
    }
    let path = track.location.prefix { $0 != "?" && $0 != "#" }
    return path.split(separator: "/").last.map(String.init) ?? "a file"
  }
}
