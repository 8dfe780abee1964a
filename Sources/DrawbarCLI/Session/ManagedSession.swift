// SPDX-License-Identifier: MIT

import ArgumentParser
import Glibc
import SessionManagement

/// This run's membership in a session.
final class ManagedSession {
  private let client: SessionClient
  private let location: SessionLocation
  private let file: StateFile
  /// The state saved before this run; nil if the client is new in the session.
  let saved: SessionState?
  /// The state in the file.
  private var kept: SessionState?
  private var hasAnswered = false
  /// The command line, after the command, and the folder of the client's first run in the session.
  private let (arguments, directory): ([String], String)

  /// The maximum number of events before keys and signals are checked again.
  private static let eventsATime = 16
  /// The maximum wait for a session manager, in seconds.
  static let patience = 5.0

  /// Joins the session of the manager that the environment names.
  ///
  /// - Returns: nil if it names none, or if joining fails, which is reported.
  /// - Throws: the error of a saved state that cannot be read; `SessionFailure.cancelled` after a signal.
  static func join(_ signals: TerminationSignals) throws -> ManagedSession? {
    guard let text = SessionManagerURL.inEnvironment else { return nil }
    let (client, location): (SessionClient, SessionLocation)
    do throws(SessionFailure) {
      (client, location) = try SessionClient.join(
        SessionManagerURL(text),
        as: SessionAnnouncement(
          applicationName: "drawbar", executableName: CommandLine.arguments.first ?? "drawbar"),
        withinSeconds: patience, isCancelled: { signals.take() })
    } catch {
      if error == .cancelled { throw error }
      Failure.report("warning: \(error); going on without a session")
      return nil
    }
    return try ManagedSession(client, location)
  }

  private init(_ client: SessionClient, _ location: SessionLocation) throws {
    self.client = client
    self.location = location
    file = StateFile(in: location.path)
    do throws(StateFile.Failure) {
      saved = try file.read()
    } catch {
      // Continuing would overwrite the saved state.
      client.refuse(.open, SessionRefusal(.badProject, "\(error)"))
      throw error
    }
    kept = saved
    (arguments, directory) =
      saved.map { ($0.arguments, $0.directory) }
      ?? (Array(CommandLine.arguments.dropFirst(2)), workingFolder)
  }

  /// The required name of the JACK client.
  var clientID: String { location.clientID }

  /// Runs the steps up to the first sound, and reports their failure to the session manager.
  func opening<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      if !hasAnswered {
        let message = error is ExitCode ? "nothing could be opened" : "\(error)"
        client.refuse(.open, error as? SessionRefusal ?? SessionRefusal(.general, message))
      }
      throw error
    }
  }

  /// Reports to the session manager that the client is open.
  func answerOpen() {
    hasAnswered = true
    client.answer(.open, saved == nil ? "new" : "as saved")
  }

  /// The request to wait for with poll(2).
  var pollRequest: pollfd { client.pollRequest }

  /// Handles the session manager's requests, and reports whether there are unsaved changes.
  ///
  /// - Parameters:
  ///   - content: the state to save now; nil if it cannot be saved.
  ///   - report: prints an error in one line.
  func serve(_ content: SessionState.Content?, report: (String) -> Void) {
    let state = content.map {
      SessionState(arguments: arguments, directory: directory, content: $0)
    }
    for _ in 0..<Self.eventsATime {
      guard let event = client.nextEvent() else { break }
      switch event {
      case .save: save(state, report: report)
      case .invalid(_, let refusal):
        report("warning: the session manager was refused a request: \(refusal.message)")
      case .joined, .open, .refused, .sessionIsLoaded: break
      }
    }
    client.tell(isDirty: state?.withoutPosition != kept?.withoutPosition)
  }

  private func save(_ state: SessionState?, report: (String) -> Void) {
    func refuse(_ message: String) {
      client.refuse(.save, SessionRefusal(.general, message))
      report(message)
    }
    guard let state else {
      return refuse("nothing to save: what came from standard input cannot be played again")
    }
    do throws(StateFile.Failure) {
      try file.write(state)
    } catch {
      return refuse("\(error)")
    }
    kept = state
    client.answer(.save, "saved")
  }
}
