// SPDX-License-Identifier: MIT

internal import RenderCore

/// Sets a client's metadata and takes them back, on a thread of its own: jack2 keeps them in a Berkeley DB
/// that all processes lock for each other, so one that was killed can leave it locked, and then nothing else
/// is to wait.
final class MetadataWriter: Sendable {
  private enum Progress {
    case idle
    case set(ControlThread)
    /// A call has not come back; who closes the client has to wait for it.
    case stuck(ControlThread)
    /// The client is closed, or is going to be: nothing is set any more.
    case ended
  }

  /// Protects the progress, between the output's owner and its control thread.
  private let progress = GuardedState(Progress.idle)

  /// Sets a client's metadata. It waits a second at most.
  ///
  /// - Parameter set: does it, and returns whether the server has taken them.
  /// - Returns: why they are not there, in one line.
  func publish(_ set: @escaping @Sendable () -> Bool) -> String? {
    progress.withLock { progress in
      guard case .idle = progress else { return nil }
      guard let thread = try? ControlThread.start() else {
        return "the ports have no names for people: the system has no more threads"
      }
      let isSet = thread.run(until: Deadline(nanosecondsFromNow: 1_000_000_000), set)
      progress = isSet == nil ? .stuck(thread) : .set(thread)
      switch isSet {
      case true: return nil
      case false:
        return "the ports have no names for people: the JACK server's metadata cannot be set"
      case nil:
        return
          "the ports have no names for people: the JACK server's metadata did not answer within "
          + "1 s; a program that was killed may have left them locked"
      }
    }
  }

  /// Takes a client's metadata back, and then has it closed: here, or when a call that has not come back
  /// does.
  ///
  /// - Parameters:
  ///   - remove: takes them back; nil when the server has ended.
  ///   - close: closes the client.
  /// - Returns: whether it is closed.
  func withdraw(
    _ remove: (@Sendable () -> Void)?, close: @escaping @Sendable () -> Void
  ) -> Bool {
    let stuck: ControlThread? = progress.withLock { progress in
      defer { progress = .ended }
      switch progress {
      case .idle, .ended: return nil
      case .stuck(let thread): return thread
      case .set(let thread):
        if let remove {
          let isRemoved: Void? = thread.run(
            until: Deadline(nanosecondsFromNow: 400_000_000), remove)
          if isRemoved == nil { return thread }
        }
        thread.finish()
        return nil
      }
    }
    guard let stuck else {
      close()
      return true
    }
    stuck.enqueue(close)
    stuck.finish()
    return false
  }
}
