// SPDX-License-Identifier: MIT

internal import CJACK

/// The connections that a client's start makes, checked on the process thread: rendering begins in the first
/// cycle that has all of them. Another thread sees them a cycle later.
@safe
struct AwaitedConnections: ~Copyable {
  /// Each port to connect, and its number of connections.
  private var ports: UnsafeMutableBufferPointer<(port: OpaquePointer, connections: Int32)>

  init() {
    unsafe ports = UnsafeMutableBufferPointer(start: nil, count: 0)
  }

  deinit {
    unsafe ports.deallocate()
  }

  /// Sets the awaited connections. Call it before the client is activated.
  mutating func expect(_ connections: [OpaquePointer: Int32]) {
    forgetAll()
    unsafe ports = .allocate(capacity: connections.count)
    _ = unsafe ports.initialize(
      from: connections.map { unsafe (port: $0.key, connections: $0.value) })
  }

  /// Removes all awaited connections. Call it while no callback runs.
  mutating func forgetAll() {
    unsafe ports.deallocate()
    unsafe ports = UnsafeMutableBufferPointer(start: nil, count: 0)
  }

  /// Whether connections are awaited and all of them exist in this cycle.
  var areMade: Bool {
    @_noLocks get {
      for index in unsafe 0..<ports.count {
        let awaited = unsafe ports[index]
        if unsafe jack_port_connected(awaited.port) < awaited.connections { return false }
      }
      return unsafe ports.count > 0
    }
  }
}
