// SPDX-License-Identifier: MIT

internal import CJACK

/// The connections that a client's start is to make, for the process thread: the first cycle that has them all
/// is heard. Who asks from elsewhere learns of them a cycle later.
@safe
struct AwaitedConnections: ~Copyable {
  /// Each port that is to be connected, and to how many others.
  private var ports: UnsafeMutableBufferPointer<(port: OpaquePointer, connections: Int32)>

  init() {
    unsafe ports = UnsafeMutableBufferPointer(start: nil, count: 0)
  }

  deinit {
    unsafe ports.deallocate()
  }

  /// Sets what is awaited. Before the client is activated.
  mutating func expect(_ connections: [OpaquePointer: Int32]) {
    forgetAll()
    unsafe ports = .allocate(capacity: connections.count)
    _ = unsafe ports.initialize(
      from: connections.map { unsafe (port: $0.key, connections: $0.value) })
  }

  /// Awaits nothing. While no callback runs.
  mutating func forgetAll() {
    unsafe ports.deallocate()
    unsafe ports = UnsafeMutableBufferPointer(start: nil, count: 0)
  }

  /// Whether something is awaited and all of that is there, in this cycle.
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
