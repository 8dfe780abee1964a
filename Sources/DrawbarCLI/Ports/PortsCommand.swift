// SPDX-License-Identifier: MIT

import ArgumentParser
import Glibc
import JACKRemoteIO

/// `drawbar ports`: lists, watches and changes the JACK graph.
struct PortsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ports",
    abstract: "List, watch, connect and disconnect the ports of the JACK graph.",
    discussion: """
      Without a subcommand it lists the ports, like 'list':

        drawbar ports                                   all ports, with their connections
        drawbar ports system                            those whose name matches
        drawbar ports --json                            for a program
        drawbar ports --watch                           a line for each change, until Ctrl-C
        drawbar ports connect drawbar:out_1 system:playback_1
        drawbar ports connect drawbar system            port by port, in order
        drawbar ports disconnect drawbar                all its connections
      """,
    subcommands: [PortListCommand.self, PortConnectCommand.self, PortDisconnectCommand.self],
    defaultSubcommand: PortListCommand.self)
}

/// The options common to all subcommands.
struct GraphOptions: ParsableArguments {
  @Option(help: "The JACK server's name. (default: $JACK_DEFAULT_SERVER, or default)")
  var server: String?

  @OptionGroup
  var serverWait: ServerWaitOptions

  @Flag(name: .shortAndLong, help: "Print libjack's messages on standard error.")
  var verbose = false

  /// Opens the graph and runs a function with it. An error is printed on one line, with exit code 1.
  ///
  /// - Parameter signals: signals that end the wait for the server; nil if they end the program directly.
  func run(
    watches: Bool = false, writesJSON: Bool = false, until signals: TerminationSignals? = nil,
    _ body: (JACKGraph) throws -> Void
  ) throws {
    do {
      RemoteIO.libraryMessageDescriptor = verbose ? STDERR_FILENO : nil
      try serverWait.waitForServer(
        server, writesJSON: writesJSON, isCancelled: { signals?.take() ?? false })
      let graph = try JACKGraph(serverName: server, watches: watches)
      defer { graph.close() }
      try body(graph)
    } catch RemoteIOError.cancelled {
      return
    } catch {
      Failure.report(error)
      throw ExitCode(1)
    }
  }
}

/// `drawbar ports list`.
struct PortListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the ports, or watch them (default).",
    discussion: """
      Each line is a port: name, direction, type, flags, latencies in frames, and its name for people when it \
      has one. Below it are the ports that it is connected to.

      With --json one object is written to standard output; with --watch --json one object in a line for \
      each change.
      """)

  @Flag(help: "A JSON object on standard output.")
  var json = false

  @Flag(help: "Tell of each change in a line of its own, until Ctrl-C.")
  var watch = false

  @OptionGroup
  var graph: GraphOptions

  @Argument(help: "Only ports whose name matches this POSIX extended regular expression.")
  var pattern: String?

  func run() throws {
    // Created before any thread, so that all threads block these signals and the loop takes them.
    let signals = watch ? TerminationSignals() : nil
    try graph.run(watches: watch, writesJSON: watch && json, until: signals) { graph in
      if let signals {
        try PortWatch(graph: graph, pattern: pattern, isJSON: json).run(until: signals)
        return
      }
      var snapshot = try graph.read()
      if let pattern { snapshot.ports = try snapshot.ports(matching: pattern) }
      let sheet = PortSheet(server: graph.serverName, snapshot: snapshot)
      var output = StandardOutput()
      if json { sheet.writeJSON(to: &output) } else { sheet.writeText(to: &output) }
      try output.flush()
      if let pattern, snapshot.ports.isEmpty { throw JACKGraphError.noMatchingPort(pattern) }
    }
  }
}

/// `drawbar ports connect`.
struct PortConnectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "connect",
    abstract: "Connect two ports, or the ports of two clients.",
    discussion: """
      Connects an output and an input, given in either order by name or alias. With a client's name \
      instead, its first port is connected to the first of the same type, and so on. Prints each connection \
      once the graph has it, also one that existed before.
      """)

  @Flag(help: "A JSON object in a line for each connection.")
  var json = false

  @OptionGroup
  var graph: GraphOptions

  @Argument(help: "A port, or a client.")
  var first: String

  @Argument(help: "A port, or a client.")
  var second: String

  func run() throws {
    try graph.run { graph in
      try write(graph.connect(first, second).map { .connected($0) }, isJSON: json)
    }
  }
}

/// `drawbar ports disconnect`.
struct PortDisconnectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "disconnect",
    abstract: "Disconnect two ports, the ports of two clients, or one from all others.",
    discussion: """
      Named as for 'connect'. Tells of each connection when the graph has it no more. It is an error when \
      there is none.
      """)

  @Flag(help: "A JSON object in a line for each connection.")
  var json = false

  @OptionGroup
  var graph: GraphOptions

  @Argument(help: "A port, or a client.")
  var first: String

  @Argument(help: "A port, or a client. (default: all that the first is connected to)")
  var second: String?

  func run() throws {
    try graph.run { graph in
      try write(graph.disconnect(first, second).map { .disconnected($0) }, isJSON: json)
    }
  }
}

private func write(_ changes: [JACKGraph.Change], isJSON: Bool) throws {
  var output = StandardOutput()
  for change in changes { PortEvent(change).write(to: &output, isJSON: isJSON) }
  try output.flush()
}
