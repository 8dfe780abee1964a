// SPDX-License-Identifier: MIT

internal import CJACK
internal import Glibc

/// What a client asks of its server's graph, by an open client's handle. For a control thread: requests
/// wait for the server.
///
/// The server only takes requests: it changes the graph in its next cycle, or some later when clients are
/// late, and it can refuse after it has said yes (`jackd -a e`). Only the graph tells what came of one.
@safe
struct GraphAccess: @unchecked Sendable {
  let handle: OpaquePointer
  /// Whether the server has ended, so that nothing is to be waited for.
  let isServerGone: @Sendable () -> Bool

  init(_ handle: OpaquePointer, isServerGone: @escaping @Sendable () -> Bool) {
    unsafe self.handle = handle
    self.isServerGone = isServerGone
  }

  /// Asks for a connection.
  ///
  /// - Returns: false when it is refused at once.
  func requestConnection(_ output: String, _ input: String) -> Bool {
    let answer = unsafe jack_connect(handle, output, input)
    return answer == 0 || answer == EEXIST
  }

  /// Asks for a connection's end. One that is there no longer is as good.
  func requestDisconnection(_ output: String, _ input: String) {
    _ = unsafe jack_disconnect(handle, output, input)
  }

  /// Whether the graph has the connection.
  func isConnected(_ output: String, _ input: String) -> Bool {
    guard let port = unsafe jack_port_by_name(handle, output) else { return false }
    return unsafe jack_port_connected_to(port, input) != 0
  }

  /// Waits until the graph has changed as was asked.
  ///
  /// - Returns: false when it has not by the deadline, or the server has ended.
  func waits(until deadline: Deadline, _ condition: () -> Bool) -> Bool {
    while !condition() {
      if deadline.hasPassed || isServerGone() { return false }
      usleep(1000)
    }
    return true
  }

  /// The other ends of a port's connections.
  func connections(of port: OpaquePointer) -> [String] {
    unsafe Self.take(jack_port_get_all_connections(handle, port))
  }

  /// The server's ports of a type, or of all with nil, that have all of the flags; in its order.
  func ports(type: String? = nil, flags: UInt32 = 0) -> [(name: String, port: OpaquePointer)] {
    unsafe Self.take(jack_get_ports(handle, nil, type, UInt(flags))).compactMap { name in
      // One that has gone meanwhile is no longer there.
      unsafe jack_port_by_name(handle, name).map { unsafe (name, $0) }
    }
  }

  /// Whether a port that was found by its name still has it.
  func isPresent(_ port: OpaquePointer, named name: String) -> Bool {
    unsafe jack_port_by_name(handle, name) == port
  }

  /// The texts of a list that libjack has allocated, which is freed.
  private static func take(
    _ names: UnsafeMutablePointer<UnsafePointer<CChar>?>?
  ) -> [String] {
    guard let names = unsafe names else { return [] }
    defer { unsafe jack_free(names) }
    var result: [String] = []
    while let name = unsafe names[result.count] { unsafe result.append(String(cString: name)) }
    return result
  }
}
