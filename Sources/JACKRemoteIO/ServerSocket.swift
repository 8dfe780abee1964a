// SPDX-License-Identifier: MIT

internal import Glibc

/// Where a server of jack2's takes clients.
///
/// libjack opens the store of metadata (``MetadataStore``) before it looks whether there is a server, and makes one
/// where there is none: so does a server that starts, and one that ends removes it. Two that do so at once spoil it
/// for everybody. Who waits for a server therefore asks here first: one that takes clients has its store.
package struct ServerSocket: Sendable {
  private let path: String

  /// The one of a server of this user's, which may not be there.
  package init(of server: String) {
    // jack2's directory in Debian, and what it makes of a name. Of a promiscuous server the number is another.
    path = "/dev/shm/jack_\(server)_\(getuid())_0"
  }

  /// The one of a server that is there now; nil where libjack does not look here: the server is PipeWire, or takes
  /// clients elsewhere.
  static func ofPresent(_ server: String) -> Self? {
    let socket = Self(of: server)
    guard !Client.mayLoseServerSilently, unsafe getenv("JACK_PROMISCUOUS_SERVER") == nil,
      unsafe access(socket.path, F_OK) == 0
    else { return nil }
    return socket
  }

  /// Whether a server takes clients now. Does not wait.
  package var isListening: Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let isShort = unsafe withUnsafeMutableBytes(of: &address.sun_path) { memory in
      // With the zero behind it.
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
    // One that is stopped has a queue, which may be full.
    return result == 0 || errno == EAGAIN
  }
}
