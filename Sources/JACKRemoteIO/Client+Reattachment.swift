// SPDX-License-Identifier: MIT

internal import CJACK
internal import Glibc

/// Facts and requests for re-attachment. For the control thread.
extension Client {
  /// Whether libjack may lose its server without notice, so that only silence shows it. PipeWire's may: its
  /// daemon dies without notice before release 1.0.
  static var mayLoseServerSilently: Bool {
    unsafe strstr(jack_get_version_string(), "PipeWire") != nil
  }

  /// The longest silence of a server, where silence is the only sign of its end.
  static var longestSilenceNanoseconds: UInt64 { 2_000_000_000 }
  /// The reason reported after such a silence.
  static var silenceReason: String { "it has not called for 2 s" }

  /// The connections of our ports, including those made by other programs. Reads shared memory, without a
  /// request to the server; during a change of the graph it waits a period longer, for the result.
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

  /// Requests the connections whose other port exists. The graph shows later whether they were made.
  ///
  /// - Returns: those that the server has granted.
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

  /// Waits until the graph has these connections, the server has ended, or the deadline has passed.
  func wait(for connections: Set<OwnConnection>, until deadline: Deadline) {
    _ = graph.waits(until: deadline) { ownConnections.isSuperset(of: connections) }
  }
}
