// SPDX-License-Identifier: MIT

internal import CJACK
internal import Glibc

/// What is needed to go on where a client before this one was. For the control thread.
extension Client {
  /// Whether this library may lose its server without telling, and then only its silence shows it: in
  /// PipeWire's, a daemon that dies before release 1.0.
  static var mayLoseServerSilently: Bool {
    unsafe strstr(jack_get_version_string(), "PipeWire") != nil
  }

  /// How long a server may be silent, where that is the only sign of its end.
  static var longestSilenceNanoseconds: UInt64 { 2_000_000_000 }
  /// What is told then.
  static var silenceReason: String { "it has not called for 2 s" }

  /// The connections of our ports, also those that others have made. Reads shared memory, no server; with
  /// a change under way it takes a period longer, to have it.
  var ownConnections: Set<OwnConnection> {
    var result: Set<OwnConnection> = []
    for direction in [ConnectionPlan.Direction.outputs, .inputs] {
      let ports = unsafe direction.isInput ? inputs : outputs
      for channel in unsafe ports.indices {
        for other in unsafe graph.connections(of: ports[channel]) {
          result.insert(OwnConnection(direction: direction, channel: channel, other: other))
        }
      }
    }
    return result
  }

  /// Asks the server for connections whose other port is there. That they are made is seen in the graph,
  /// later.
  ///
  /// - Returns: those that it has granted.
  @discardableResult
  func restore(_ connections: Set<OwnConnection>) -> Set<OwnConnection> {
    var granted: Set<OwnConnection> = []
    for connection in connections {
      let ports = unsafe connection.direction.isInput ? inputs : outputs
      guard unsafe ports.indices.contains(connection.channel),
        unsafe jack_port_by_name(handle, connection.other) != nil,
        unsafe jack_port_connected_to(ports[connection.channel], connection.other) == 0,
        let own = unsafe jack_port_name(ports[connection.channel])
      else { continue }
      let answer =
        connection.direction.isInput
        ? unsafe jack_connect(handle, connection.other, own)
        : unsafe jack_connect(handle, own, connection.other)
      if answer == 0 { granted.insert(connection) }
    }
    return granted
  }

  /// Waits until the graph has connections, or the server has ended.
  func wait(for connections: Set<OwnConnection>, until deadline: Deadline) {
    _ = graph.waits(until: deadline) { ownConnections.isSuperset(of: connections) }
  }
}
