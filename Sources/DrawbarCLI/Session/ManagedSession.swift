// SPDX-License-Identifier: MIT

import ArgumentParser
import Glibc
import SessionManagement

/// This run's place in a session, where a session manager has one for it.
final class ManagedSession {
  private let client: SessionClient
  private let place: SessionPlace
  private let file: StateFile
  /// What was saved before this run; nil in a place that is new.
  let saved: SessionState?
  /// What is in the file.
  private var kept: SessionState?
  private var hasAnswered = false
  /// How the first run in this place was begun: its command line, behind the command, and its folder.
  private let (arguments, directory): ([String], String)

  /// Events that are taken before keys and signals are looked at again.
  private static let eventsATime = 16
  /// How long a session manager is waited for, in seconds.
  static let patience = 5.0

  /// Takes a place in the session of the manager that the environment names.
  ///
  /// - Returns: nil where it names none, or where nothing comes of it, which is told.
  /// - Throws: what is wrong with what was saved there; `SessionFailure.cancelled` after a signal.
  static func join(_ signals: TerminationSignals) throws -> ManagedSession? {
    guard let text = SessionManagerURL.inEnvironment else { return nil }
    let (client, place): (SessionClient, SessionPlace)
    do throws(SessionFailure) {
      (client, place) = try SessionClient.join(
        SessionManagerURL(text),
        as: SessionAnnouncement(
          applicationName: "drawbar", executableName: CommandLine.arguments.first ?? "drawbar"),
        withinSeconds: patience, isCancelled: { signals.take() })
    } catch {
      if error == .cancelled { throw error }
      Failure.report("warning: \(error); going on without a session")
      return nil
    }
    return try ManagedSession(client, place)
  }

  private init(_ client: SessionClient, _ place: SessionPlace) throws {
    self.client = client
    self.place = place
    file = StateFile(in: place.path)
    do throws(StateFile.Failure) {
      saved = try file.read()
    } catch {
      // A program that went on would save over it.
      client.refuse(.open, SessionRefusal(.badProject, "\(error)"))
      throw error
    }
    kept = saved
    (arguments, directory) =
      saved.map { ($0.arguments, $0.directory) }
      ?? (Array(CommandLine.arguments.dropFirst(2)), workingFolder)
  }

  /// What the JACK client has to be called.
  var clientID: String { place.clientID }

  /// Does what leads to sound; tells the session manager where that does not come about.
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

  /// Tells the session manager that all is there.
  func answerOpen() {
    hasAnswered = true
    client.answer(.open, saved == nil ? "new" : "as saved")
  }

  /// What to wait for with poll(2).
  var pollRequest: pollfd { client.pollRequest }

  /// Does what the session manager asks for, and tells it whether something has changed.
  ///
  /// - Parameters:
  ///   - content: what there is to save now; nil where it cannot be saved.
  ///   - report: is told in one line what went wrong.
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
    client.tell(isDirty: state?.withoutPlace != kept?.withoutPlace)
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
