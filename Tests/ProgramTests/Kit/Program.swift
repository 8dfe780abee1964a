// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

/// The built `drawbar`, run as a user runs it.
enum Program {
  /// Lies beside the test program; `DRAWBAR_PROGRAM` names another, such as a release build.
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

  /// What a run needs to find the test's server, and nobody's session manager or session bus.
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
    /// A process of its group still runs.
    var hasLeftSomething: Bool
  }

  /// - Parameter variables: set in addition to those that each run needs, or in their place.
  static func start(_ arguments: [String], with variables: [String: String] = [:]) -> Subprocess {
    Subprocess([path] + arguments, environment: environment.merging(variables) { $1 })
  }

  /// Runs it to its end; kills it after so many seconds.
  ///
  /// - Parameter command: words before the program's path: a program that starts it.
  static func run(
    _ arguments: [String], by command: [String] = [], program: String = path, seconds: Double = 20
  ) -> Result {
    let start = monotonicSeconds()
    let process = Subprocess(command + [program] + arguments, environment: environment)
    return end(of: process, since: start, seconds: seconds)
  }

  /// Waits for the end of a run; kills it after so many seconds.
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

  /// Whether a program is built with RealtimeSanitizer, which ends it, with exit code 43, at what must not be
  /// done in a callback.
  static func isWatched(_ path: String) -> Bool {
    let mark = "__rtsan_realtime_enter"
    return Subprocess.run(["grep", "-qF", mark, path]).exit == .status(0)
  }

  /// Tells what RealtimeSanitizer has written, whatever else a test expects of the program.
  static func expectNoFinding(in text: String) {
    if text.contains("ERROR: RealtimeSanitizer") { Issue.record("\(text)") }
  }

  /// The most memory that a process has had resident, in bytes (proc(5), `VmHWM`); nil once it has
  /// ended.
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
