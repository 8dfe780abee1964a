// SPDX-License-Identifier: MIT

internal import Glibc

extension RemoteIO {
  private static let lookMicroseconds: UInt32 = 50_000
  /// Polls of the socket between two requests to libjack, each of which opens a client. A jack2 server is
  /// detected by its socket; only one whose socket is elsewhere needs the requests.
  private static var looksPerQuestion: Int { Client.mayLoseServerSilently ? 10 : 100 }

  /// Waits until a server accepts clients. Starts no server. Not for a process callback.
  ///
  /// - Parameters:
  ///   - serverName: as in ``Configuration/serverName``.
  ///   - isCancelled: called 20 times a second, on this thread; true ends the wait.
  ///   - begin: called if no server accepts clients at once.
  /// - Returns: whether a server accepts clients; false when the wait was cancelled.
  public static func waitForServer(
    named serverName: String? = nil, isCancelled: () -> Bool, begin: () -> Void = {}
  ) -> Bool {
    let socket = ServerSocket(of: Configuration(serverName: serverName).resolvedServerName)
    for look in 0... {
      if socket.isListening
        || look % looksPerQuestion == looksPerQuestion - 1 && answers(serverName)
      {
        return true
      }
      if look == 0 { begin() }
      if isCancelled() { break }
      usleep(lookMicroseconds)
    }
    return false
  }

  private static func answers(_ serverName: String?) -> Bool {
    LibraryMessages.silenced {
      guard let graph = try? JACKGraph(serverName: serverName) else { return false }
      graph.close()
      return true
    }
  }
}
