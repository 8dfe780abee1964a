// SPDX-License-Identifier: MIT

internal import CJACK
internal import Glibc

extension Client {
  /// What the ports of each direction are connected to.
  struct Connections: Sendable {
    var outputs: RemoteIO.ConnectionPolicy
    var inputs: RemoteIO.ConnectionPolicy
  }

  /// What to connect, for the outputs and for the inputs.
  struct Plans {
    fileprivate var outputs: ConnectionPlan
    fileprivate var inputs: ConnectionPlan
  }

  /// Decides what to connect to which of the ports that there are.
  func plans(_ connections: Connections) throws(RemoteIOError) -> Plans {
    let isUnderSessionManager = unsafe getenv("NSM_URL").map { unsafe $0.pointee != 0 } ?? false
    return try Plans(
      outputs: ConnectionPlan(
        policy: connections.outputs, direction: .outputs,
        ours: unsafe outputs.map { unsafe String(cString: jack_port_name($0)) },
        others: connections.outputs == .none ? [] : serverPorts(JackPortIsInput),
        isUnderSessionManager: isUnderSessionManager),
      inputs: ConnectionPlan(
        policy: connections.inputs, direction: .inputs,
        ours: unsafe inputs.map { unsafe String(cString: jack_port_name($0)) },
        others: connections.inputs == .none ? [] : serverPorts(JackPortIsOutput),
        isUnderSessionManager: isUnderSessionManager))
  }

  /// Makes the connections. What was chosen by itself may fail, and is told; what was asked for may not.
  func connect(
    _ plans: Plans, _ connections: Connections
  ) throws(RemoteIOError) -> RemoteIO.ConnectionReport {
    var report = RemoteIO.ConnectionReport(connections: [], notes: [])
    try connect(plans.outputs, isOptional: connections.outputs == .automatic, report: &report)
    try connect(plans.inputs, isOptional: connections.inputs == .automatic, report: &report)
    return report
  }

  private func connect(
    _ plan: ConnectionPlan, isOptional: Bool, report: inout RemoteIO.ConnectionReport
  ) throws(RemoteIOError) {
    report.notes += plan.notes
    let answers = plan.connections.map {
      unsafe jack_connect(handle, $0.output, $0.input)
    }
    // A server that is on time shows a connection at once or in its next cycle. When its clients are
    // late it leaves the graph as it is, for half a second at most (`jackd -t`).
    let deadline = Deadline(nanosecondsFromNow: 1_000_000_000)
    for (connection, answer) in zip(plan.connections, answers) {
      if (answer == 0 || answer == EEXIST) && isMade(connection, by: deadline) {
        report.connections.append(connection)
        continue
      }
      let refusal = RemoteIOError.connectionRefused(
        output: connection.output, input: connection.input)
      guard isOptional else { throw refusal }
      report.notes.append(refusal.description)
    }
  }

  /// Waits until the graph has the connection. `jack_connect` only asks for it, and a server can even
  /// refuse while it says yes (`jackd -a e`).
  private func isMade(_ connection: RemoteIO.PortConnection, by deadline: Deadline) -> Bool {
    guard let output = unsafe jack_port_by_name(handle, connection.output) else { return false }
    while unsafe jack_port_connected_to(output, connection.input) == 0 {
      if deadline.hasPassed || storage.isShutDown { return false }
      usleep(1000)
    }
    return true
  }

  /// The server's audio ports of one direction, in its order.
  private func serverPorts(_ direction: JackPortFlags) -> [ServerPort] {
    guard
      let names = unsafe jack_get_ports(
        handle, nil, JACK_DEFAULT_AUDIO_TYPE, UInt(direction.rawValue))
    else { return [] }
    defer { unsafe jack_free(names) }
    var result: [ServerPort] = []
    var index = 0
    while let text = unsafe names[index] {
      index += 1
      guard let port = unsafe jack_port_by_name(handle, text) else { continue }
      let isPhysical = unsafe UInt32(jack_port_flags(port)) & JackPortIsPhysical.rawValue != 0
      unsafe result.append(
        ServerPort(
          name: String(cString: text), aliases: PortAliases.read(port), isPhysical: isPhysical,
          isOwn: jack_port_is_mine(handle, port) != 0))
    }
    return result
  }
}
