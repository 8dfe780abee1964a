// SPDX-License-Identifier: MIT

internal import RenderCore

/// Sets and removes a client's metadata on a thread of its own. jack2 keeps them in a Berkeley DB that all
/// processes lock, and a killed process can leave it locked; then no other thread has to wait.
final class MetadataWriter: Sendable {
  private enum Progress {
    case idle
    case set(ControlThread)
    /// A call has not returned; the client is closed after it.
    case stuck(ControlThread)
    /// The client is closed or will be; no metadata are set any more.
    case ended
  }

  /// Protects the progress, between the output's owner and its control thread.
  private let progress = POSIXMutex(Progress.idle)

  /// Sets a client's metadata, waiting a second at most.
  ///
  /// - Parameter set: sets the metadata, and returns whether the server has accepted them.
  /// - Returns: the reason, in one line, if they are not set; otherwise nil.
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

  /// Removes a client's metadata and then closes the client: here, or after an earlier call that has not
  /// returned.
  ///
  /// - Parameters:
  ///   - remove: removes them; nil when the server has ended.
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
