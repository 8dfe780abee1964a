// SPDX-License-Identifier: MIT

import ArgumentParser
import Glibc
import JACKRemoteIO

/// The option to wait for a JACK server that does not run yet.
struct ServerWaitOptions: ParsableArguments {
  @Flag(help: "Wait for the JACK server, if it does not run yet.")
  var wait = false

  static let contradiction = ValidationError(
    "--start-server starts a server and --wait waits for one: choose one of them.")

  /// Waits for the server, if requested.
  ///
  /// - Parameters:
  ///   - server: its name; nil for the default one.
  ///   - writesJSON: whether standard output carries lines of JSON.
  ///   - isCancelled: polled; true if the user has ended the program.
  /// - Throws: `RemoteIOError.cancelled` if the user has ended the program.
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
