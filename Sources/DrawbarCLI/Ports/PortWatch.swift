// SPDX-License-Identifier: MIT

import AudioModel
import Glibc
import JACKRemoteIO

/// A change of the graph, printed as one line.
struct PortEvent {
  private let change: JACKGraph.Change

  init(_ change: JACKGraph.Change) {
    self.change = change
  }

  func write(to output: inout some TextOutputStream, isJSON: Bool) {
    if isJSON {
      JSONValue.object(members).write(to: &output)
      output.write("\n")
    } else {
      output.write(text + "\n")
    }
  }

  private var text: String {
    func text(_ connection: JACKGraph.Connection) -> String {
      connection.output.asMessage + " -> " + connection.input.asMessage
    }
    func text(_ port: JACKGraph.Port) -> String {
      ([port.name.asMessage] + PortSheet.columns(of: port).filter { !$0.isEmpty })
        .joined(separator: "  ")
    }
    return switch change {
    case .portAdded(let port): "added         " + text(port)
    case .portRemoved(let port): "removed       " + port.name.asMessage
    case .portChanged(let port): "changed       " + text(port)
    case .connected(let connection): "connected     " + text(connection)
    case .disconnected(let connection): "disconnected  " + text(connection)
    }
  }

  private var members: [(String, JSONValue)] {
    func members(_ connection: JACKGraph.Connection) -> [(String, JSONValue)] {
      [("output", .string(connection.output)), ("input", .string(connection.input))]
    }
    return switch change {
    case .portAdded(let port):
      [("event", .string("portAdded")), ("port", PortSheet.value(of: port))]
    case .portRemoved(let port):
      [("event", .string("portRemoved")), ("name", .string(port.name))]
    case .portChanged(let port):
      [("event", .string("portChanged")), ("port", PortSheet.value(of: port))]
    case .connected(let connection): [("event", .string("connected"))] + members(connection)
    case .disconnected(let connection): [("event", .string("disconnected"))] + members(connection)
    }
  }
}

/// `drawbar ports --watch`: prints each change until a signal comes.
struct PortWatch {
  let graph: JACKGraph
  let pattern: String?
  let isJSON: Bool

  func run(until signals: TerminationSignals) throws {
    var known = try graph.read()
    var output = StandardOutput()
    output.signals = signals
    // Reports an invalid pattern before anything else.
    try writeStart(known, to: &output)
    try output.flush()
    while !signals.take(), waitForChange() {
      let now = try graph.read()
      for change in now.changes(since: known) where try isWanted(change, in: now, known) {
        PortEvent(change).write(to: &output, isJSON: isJSON)
      }
      try output.flush()
      known = now
    }
  }

  /// Writes the graph at the start of the watch; later lines are changes.
  private func writeStart(
    _ snapshot: JACKGraph.Snapshot, to output: inout StandardOutput
  ) throws {
    let ports = try pattern.map { try snapshot.ports(matching: $0) } ?? snapshot.ports
    if isJSON {
      JSONValue.object([
        ("event", .string("watching")), ("server", .string(graph.serverName)),
        ("ports", .array(AnySequence(ports.map(PortSheet.value)))),
      ]).write(to: &output)
      output.write("\n")
    } else {
      output.write("watching      the JACK server '\(graph.serverName)': \(ports.count) ports\n")
    }
  }

  /// Waits until something may have changed, a tenth of a second at most: a change may reach the graph a little after
  /// its notification.
  ///
  /// - Returns: false if standard output has no reader any more.
  private func waitForChange() -> Bool {
    var polled = [
      pollfd(fd: graph.changeDescriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: STDOUT_FILENO, events: 0, revents: 0),
    ]
    unsafe poll(&polled, 2, 100)
    // A pipe without a reader reports an error, a socket a hang-up.
    return polled[1].revents & Int16(POLLERR | POLLHUP) == 0
  }

  private func isWanted(
    _ change: JACKGraph.Change, in now: JACKGraph.Snapshot, _ before: JACKGraph.Snapshot
  ) throws -> Bool {
    guard let pattern else { return true }
    let wanted = Set(
      (try before.ports(matching: pattern) + now.ports(matching: pattern)).map(\.name))
    return switch change {
    case .portAdded(let port), .portRemoved(let port), .portChanged(let port):
      wanted.contains(port.name)
    case .connected(let connection), .disconnected(let connection):
      wanted.contains(connection.output) || wanted.contains(connection.input)
    }
  }
}
