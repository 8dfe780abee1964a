// SPDX-License-Identifier: MIT

internal import CJACK
internal import Glibc

/// Access to a server's graph through an open client. For a control thread: requests wait for the server.
///
/// The server only accepts requests. It changes the graph in its next cycle, or some cycles later if clients
/// are late, and it can still refuse an accepted request (`jackd -a e`). Only the graph shows the result.
@safe
struct GraphAccess: @unchecked Sendable {
  let handle: OpaquePointer
  /// Whether the server has ended, which ends all waits.
  let isServerGone: @Sendable () -> Bool

  init(_ handle: OpaquePointer, isServerGone: @escaping @Sendable () -> Bool) {
    unsafe self.handle = handle
    self.isServerGone = isServerGone
  }

  /// Requests a connection.
  ///
  /// - Returns: false when it is refused at once.
  func requestConnection(_ output: String, _ input: String) -> Bool {
    let answer = unsafe jack_connect(handle, output, input)
    return answer == 0 || answer == EEXIST
  }

  /// Requests a disconnection. The answer is ignored: the connection may no longer exist.
  func requestDisconnection(_ output: String, _ input: String) {
    _ = unsafe jack_disconnect(handle, output, input)
  }

  /// Whether the graph has the connection.
  func isConnected(_ output: String, _ input: String) -> Bool {
    guard let port = unsafe jack_port_by_name(handle, output) else { return false }
    return unsafe jack_port_connected_to(port, input) != 0
  }

  /// Waits until the condition holds.
  ///
  /// - Returns: false if it does not hold by the deadline, or the server has ended.
  func waits(until deadline: Deadline, _ condition: () -> Bool) -> Bool {
    while !condition() {
      if deadline.hasPassed || isServerGone() { return false }
      usleep(1000)
    }
    return true
  }

  /// Returns the full names of the ports that a port is connected to.
  func connections(of port: OpaquePointer) -> [String] {
    unsafe Self.take(jack_port_get_all_connections(handle, port))
  }

  /// Returns the server's ports that have the type (any with nil) and all of the flags, in the server's order.
  func ports(type: String? = nil, flags: UInt32 = 0) -> [(name: String, port: OpaquePointer)] {
    unsafe Self.take(jack_get_ports(handle, nil, type, UInt(flags))).compactMap { name in
      // A port may have been unregistered meanwhile.
      unsafe jack_port_by_name(handle, name).map { unsafe (name, $0) }
    }
  }

  /// Returns whether a port that was found by its name still has it.
  func isPresent(_ port: OpaquePointer, named name: String) -> Bool {
    unsafe jack_port_by_name(handle, name) == port
  }

  /// Returns the strings of a list allocated by libjack, and frees the list.
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
