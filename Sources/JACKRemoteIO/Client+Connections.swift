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

  /// Whether libjack tells on the process thread, without a lock, what is connected there: jack2 does, whose
  /// versions begin so.
  static var readsGraphInCycles: Bool {
    unsafe strncmp(jack_get_version_string(), "1.9.", 4) == 0
  }

  /// How many connections each of our ports is to have.
  func counts(_ plans: Plans) -> [OpaquePointer: Int32] {
    var result: [OpaquePointer: Int32] = unsafe [:]
    let planned =
      plans.outputs.connections.map(\.output) + plans.inputs.connections.map(\.input)
    for name in planned {
      guard let port = unsafe jack_port_by_name(handle, name) else { continue }
      unsafe result[port, default: 0] += 1
    }
    return unsafe result
  }

  /// Makes the connections. What was chosen by itself may fail, and is told; what was asked for may not.
  func connect(
    _ plans: Plans, _ connections: Connections
  ) throws(RemoteIOError) -> RemoteIO.ConnectionReport {
    var report = RemoteIO.ConnectionReport(connections: [], notes: [])
    report.isServerFreewheeling = isServerFreewheeling
    if report.isServerFreewheeling {
      report.notes.append(RemoteIO.freewheelAdvice(server: server))
    }
    try connect(plans.outputs, isOptional: connections.outputs == .automatic, report: &report)
    try connect(plans.inputs, isOptional: connections.inputs == .automatic, report: &report)
    return report
  }

  private func connect(
    _ plan: ConnectionPlan, isOptional: Bool, report: inout RemoteIO.ConnectionReport
  ) throws(RemoteIOError) {
    report.notes += plan.notes
    let answers = plan.connections.map { graph.requestConnection($0.output, $0.input) }
    if answers.contains(true), !report.isServerFreewheeling { waitForNextCycle() }
    // A server that is on time shows a connection at once or in its next cycle. When its clients are
    // late it leaves the graph as it is, for half a second at most (`jackd -t`).
    let deadline = Deadline(nanosecondsFromNow: 1_000_000_000)
    for (connection, isGranted) in zip(plan.connections, answers) {
      // It is made when that ends.
      if isGranted, report.isServerFreewheeling { continue }
      let isMade =
        isGranted
        && graph.waits(until: deadline) {
          graph.isConnected(connection.output, connection.input)
        }
      if isMade {
        report.connections.append(connection)
        continue
      }
      let refusal = RemoteIOError.connectionRefused(
        output: connection.output, input: connection.input)
      guard isOptional else { throw refusal }
      report.notes.append(refusal.description)
    }
  }

  /// Waits until the server has had the occasion to change its graph. Who reads the graph before that sleeps
  /// in libjack for more than a period, whatever happens meanwhile.
  private func waitForNextCycle() {
    let cycle = storage.cycleCount
    let deadline = Deadline(nanosecondsFromNow: 50_000_000)
    while storage.cycleCount == cycle, !deadline.hasPassed, !storage.isShutDown { usleep(200) }
  }

  /// The server's audio ports of one direction, in its order.
  private func serverPorts(_ direction: JackPortFlags) -> [ServerPort] {
    unsafe graph.ports(type: JACK_DEFAULT_AUDIO_TYPE, flags: direction.rawValue).compactMap {
      name, port in
      let isPhysical = unsafe UInt32(jack_port_flags(port)) & JackPortIsPhysical.rawValue != 0
      let result = unsafe ServerPort(
        name: name, aliases: PortAliases.read(port), isPhysical: isPhysical,
        isOwn: jack_port_is_mine(handle, port) != 0)
      // One that its client has given back meanwhile was not read whole.
      return unsafe graph.isPresent(port, named: name) ? result : nil
    }
  }
}
