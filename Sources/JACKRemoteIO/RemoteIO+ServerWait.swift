// SPDX-License-Identifier: MIT

internal import Glibc

extension RemoteIO {
  private static let lookMicroseconds: UInt32 = 50_000
  /// Looks between two questions to libjack, which opens a client for each. jack2's server is seen without: only
  /// one whose socket is elsewhere needs them.
  private static var looksPerQuestion: Int { Client.mayLoseServerSilently ? 10 : 100 }

  /// Waits until a server takes clients. It starts none. Not for a process callback.
  ///
  /// - Parameters:
  ///   - serverName: as in ``Configuration/serverName``.
  ///   - isCancelled: asked 20 times a second, on this thread: whether to wait no longer.
  ///   - begin: called when there is none at once.
  /// - Returns: whether there is one; false when it was cancelled.
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
