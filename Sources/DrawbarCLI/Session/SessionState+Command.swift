// SPDX-License-Identifier: MIT

import ArgumentParser
import SessionManagement

extension SessionState {
  /// Resumes the saved command.
  func resume(in session: ManagedSession, _ signals: TerminationSignals) throws -> Bool {
    switch content {
    case .play(let play):
      var command: PlayCommand = try parsed()
      command.spool.resolve(in: directory)
      command.effects.resolve(in: directory)
      return try command.play(in: session, resuming: play, signals)
    case .monitor(let monitor):
      var command: MonitorCommand = try parsed()
      command.effects.resolve(in: directory)
      // A second recording would replace the first one.
      (command.record, command.recordInput) = (nil, false)
      return try command.monitor(in: session, resuming: monitor, signals)
    }
  }

  private func parsed<Command: ParsableCommand>() throws -> Command {
    do {
      return try Command.parse(arguments)
    } catch {
      throw SessionRefusal(
        .badProject,
        "the saved arguments cannot be used: \(Command.message(for: error))")
    }
  }
}
