// SPDX-License-Identifier: MIT

internal import Glibc

/// The socket on which a jack2 server accepts clients.
///
/// libjack opens the metadata store (``MetadataStore``) before it looks for a server, and creates the store if
/// there is none. A server that starts creates it, too, and one that ends removes it. Two processes that do so
/// at once break it for all. So code that waits for a server checks the socket first: a server that accepts
/// clients has its store.
package struct ServerSocket: Sendable {
  private let path: String

  /// Creates the socket of a server of this user, which may not be running.
  package init(of server: String) {
    // jack2's directory in Debian, and its naming. A promiscuous server has another number.
    path = "/dev/shm/jack_\(server)_\(getuid())_0"
  }

  /// Returns the socket of a running server; nil if libjack does not look here: the server is PipeWire, or
  /// accepts clients elsewhere.
  static func ofPresent(_ server: String) -> Self? {
    let socket = Self(of: server)
    guard !Client.mayLoseServerSilently, unsafe getenv("JACK_PROMISCUOUS_SERVER") == nil,
      unsafe access(socket.path, F_OK) == 0
    else { return nil }
    return socket
  }

  /// Whether a server accepts clients now. Does not wait.
  package var isListening: Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let isShort = unsafe withUnsafeMutableBytes(of: &address.sun_path) { memory in
      // The terminating zero must fit.
      guard path.utf8.count < memory.count else { return false }
      unsafe memory.copyBytes(from: path.utf8)
      return true
    }
    guard isShort else { return false }
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = socket(AF_UNIX, type, 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    let result = unsafe withUnsafePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    // A stopped server has a queue, which may be full.
    return result == 0 || errno == EAGAIN
  }
}
