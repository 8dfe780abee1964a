// SPDX-License-Identifier: MIT

internal import CJACK
internal import Glibc

extension Client {
  /// The connection policies of the output and the input ports.
  struct Connections: Sendable {
    var outputs: RemoteIO.ConnectionPolicy
    var inputs: RemoteIO.ConnectionPolicy
  }

  /// The connection plans of the outputs and the inputs.
  struct Plans {
    fileprivate var outputs: ConnectionPlan
    fileprivate var inputs: ConnectionPlan
  }

  /// Plans the connections to the server's existing ports.
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

  /// Whether libjack reports connections on the process thread without a lock. jack2 does; its versions begin
  /// with 1.9.
  static var readsGraphInCycles: Bool {
    unsafe strncmp(jack_get_version_string(), "1.9.", 4) == 0
  }

  /// Returns the number of planned connections of each of our ports.
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

  /// Makes the connections. The failure of an automatic connection is reported in a note; that of a requested
  /// one throws.
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
    // A punctual server shows a connection at once or in its next cycle. When clients are late, it leaves the
    // graph unchanged for up to half a second (`jackd -t`).
    let deadline = Deadline(nanosecondsFromNow: 1_000_000_000)
    for (connection, isGranted) in zip(plan.connections, answers) {
      // The server makes it when freewheeling ends.
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

  /// Waits until the server has had a cycle in which to change its graph. A thread that reads the graph earlier
  /// sleeps in libjack for more than a period, even if the change comes sooner.
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
      // A port that its client has unregistered meanwhile was not read completely.
      return unsafe graph.isPresent(port, named: name) ? result : nil
    }
  }
}
