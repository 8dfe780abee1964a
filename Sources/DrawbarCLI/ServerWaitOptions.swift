// SPDX-License-Identifier: MIT

import ArgumentParser
import Glibc
import JACKRemoteIO

/// What a command does where there is no JACK server yet.
struct ServerWaitOptions: ParsableArguments {
  @Flag(help: "Wait for the JACK server, if it does not run yet.")
  var wait = false

  static let contradiction = ValidationError(
    "--start-server starts a server and --wait waits for one: choose one of them.")

  /// Waits for the server, if that was asked for.
  ///
  /// - Parameters:
  ///   - server: its name; nil for the usual one.
  ///   - writesJSON: whether standard output is for lines of JSON.
  ///   - isCancelled: whether the user has ended the program.
  /// - Throws: `RemoteIOError.cancelled` when the user has.
  func waitForServer(
    _ server: String?, writesJSON: Bool = false, isCancelled: () -> Bool = { false }
  ) throws {
    guard wait else { return }
    let isThere = RemoteIO.waitForServer(named: server, isCancelled: isCancelled) {
      if writesJSON {
        var line = ""
        JSONValue.object([("type", .string("waitingForServer"))]).write(to: &line)
        Failure.write(line + "\n", to: STDOUT_FILENO)
      } else if isatty(STDERR_FILENO) == 1 {
        Failure.write("waiting for the JACK server\n", to: STDERR_FILENO)
      }
    }
    if !isThere { throw RemoteIOError.cancelled }
  }
}
