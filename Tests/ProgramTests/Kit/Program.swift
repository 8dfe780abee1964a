// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

/// The built `drawbar`, run as a user runs it.
enum Program {
  /// The path beside the test program, or that in `DRAWBAR_PROGRAM`, such as a release build's.
  static let path: String = {
    if let path = unsafe getenv("DRAWBAR_PROGRAM") { return unsafe String(cString: path) }
    var link = [UInt8](repeating: 0, count: 4096)
    let count = unsafe link.withUnsafeMutableBytes {
      unsafe readlink("/proc/self/exe", $0.baseAddress!, $0.count)
    }
    let test = String(decoding: link.prefix(max(0, count)), as: UTF8.self)
    let path = test.prefix(upTo: test.lastIndex(of: "/") ?? test.startIndex) + "/drawbar"
    precondition(unsafe access(String(path), X_OK) == 0, "\(path) is missing: run swift build")
    return String(path)
  }()

  /// Whether it is a release build, which is fast enough for long inputs.
  static var isRelease: Bool { path.contains("/release/") }

  /// The environment in which a run finds the test's server, but no session manager and no session bus.
  static let environment = [
    "JACK_DEFAULT_SERVER": JACKServer.name, "JACK_NO_START_SERVER": "1",
    "NSM_URL": "", "DBUS_SESSION_BUS_ADDRESS": "disabled:",
  ]

  /// A run that has ended.
  struct Result {
    /// nil when it had to be killed.
    var exit: Subprocess.Exit?
    var output: String
    var errors: String
    var seconds: Double
    /// Whether a process of its group still runs.
    var hasLeftSomething: Bool
  }

  /// - Parameter variables: set in addition to those that each run needs, or instead of them.
  static func start(_ arguments: [String], with variables: [String: String] = [:]) -> Subprocess {
    Subprocess([path] + arguments, environment: environment.merging(variables) { $1 })
  }

  /// Runs the program to its end; kills it after `seconds`.
  ///
  /// - Parameter command: words before the program's path: a program that starts it.
  static func run(
    _ arguments: [String], by command: [String] = [], program: String = path, seconds: Double = 20
  ) -> Result {
    let start = monotonicSeconds()
    let process = Subprocess(command + [program] + arguments, environment: environment)
    return end(of: process, since: start, seconds: seconds)
  }

  /// Waits for the end of a run; kills it after `seconds`.
  static func end(
    of process: Subprocess, since start: Double = monotonicSeconds(), seconds: Double = 20
  ) -> Result {
    let group = process.pid
    let exit = process.wait(seconds: seconds)
    let took = monotonicSeconds() - start
    let hasLeftSomething = exit != nil && group.map { kill(-$0, 0) == 0 } ?? false
    if exit == nil {
      process.signalGroup(SIGKILL)
      process.wait(seconds: 5)
    }
    expectNoFinding(in: process.errors)
    return Result(
      exit: exit, output: process.output, errors: process.errors, seconds: took,
      hasLeftSomething: hasLeftSomething)
  }

  /// Whether a program is built with RealtimeSanitizer, which ends it with exit code 43 if a callback makes a
  /// forbidden call.
  static func isWatched(_ path: String) -> Bool {
    let mark = "__rtsan_realtime_enter"
    return Subprocess.run(["grep", "-qF", mark, path]).exit == .status(0)
  }

  /// Records an issue if RealtimeSanitizer has written a report, whatever else the test expects.
  static func expectNoFinding(in text: String) {
    if text.contains("ERROR: RealtimeSanitizer") { Issue.record("\(text)") }
  }

  /// A process's peak of resident memory, in bytes (proc(5), `VmHWM`); nil once the process has ended.
  static func peakResidentBytes(_ pid: pid_t?) -> Int? {
    guard let pid else { return nil }
    let status = String(decoding: contents(ofFile: "/proc/\(pid)/status"), as: UTF8.self)
    for line in status.split(separator: "\n") where line.hasPrefix("VmHWM:") {
      return line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
        .flatMap { Int($0) }.map { $0 * 1024 }
    }
    return nil
  }
}
