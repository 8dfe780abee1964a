// SPDX-License-Identifier: MIT

import AudioModel

/// An error of opening, starting or connecting a client.
public enum RemoteIOError: Error, Sendable, Equatable {
  /// The client name cannot be used; the text is the reason.
  case invalidClientName(String, String)
  /// The server name cannot be used; the text is the reason.
  case invalidServerName(String, String)
  /// The port name cannot be used; the text is the reason.
  case invalidPortName(String, String)
  /// The configuration has no ports.
  case noPorts
  /// A group of ports is empty or has a port that does not exist; `ports` is the number of ports.
  case invalidGroup(String, ports: Int)
  /// The text of a connection policy cannot be used; the second text is the reason.
  case invalidConnection(String, String)
  /// No server of this name is running, or it belongs to another user.
  case serverNotRunning(String)
  /// libjack was allowed to start a server of this name and could not.
  case serverNotStarted(String)
  /// This process has a client on `current`, and libjack connects a process to one server only.
  case otherServerInUse(requested: String, current: String)
  /// A client of this process is still open on this server although the server has ended: libjack would use its
  /// stale memory for the new client.
  case closePreviousClient(server: String)
  /// libjack's metadata store, in the folder at `path`, is broken: it would end every program that opens it.
  case brokenMetadataStore(path: String)
  /// The server refused the client; `status` is libjack's `JackStatus`.
  case openRefused(server: String, client: String, status: UInt32)
  /// The server did not answer in time.
  case serverNotAnswering(server: String, doing: String, seconds: Double)
  /// The server has ended; the text is its reason.
  case serverShutDown(server: String, reason: String)
  /// The server refused to register the port.
  case portRefused(String)
  /// The server refused to activate the client, throughout a second of attempts.
  case activationRefused(server: String, client: String)
  /// The output was started before.
  case alreadyStarted
  /// The output was closed before.
  case closed
  /// No audio input port, nor a client with one, matches.
  case noMatchingPorts(pattern: String)
  /// There is no audio input port of this name.
  case noSuchPort(String)
  /// More ports were named than there are outputs.
  case tooManyPorts(named: Int, outputs: Int)
  /// No audio output port, nor a client with one, matches, so an input has no source.
  case noMatchingSourcePorts(pattern: String)
  /// There is no audio output port of this name.
  case noSuchSourcePort(String)
  /// More source ports were named than there are inputs.
  case tooManySourcePorts(named: Int, inputs: Int)
  /// The port is this client's own: connected to another port of it, it would feed back.
  case ownPort(String)
  /// The server refused the connection, or accepted the request and did not make it.
  case connectionRefused(output: String, input: String)
  /// The caller cancelled before the server answered.
  case cancelled
  /// The system has no more threads or descriptors.
  case outOfResources(String)
}

extension RemoteIOError: CustomStringConvertible {
  /// A one-line message: the failure, its location, and a remedy.
  public var description: String { sentence.asMessage }

  private var sentence: String {
    switch self {
    case .invalidClientName(let name, let why):
      "the JACK client name '\(name)' cannot be used: \(why)"
    case .invalidServerName(let name, let why):
      "the JACK server name '\(name)' cannot be used: \(why)"
    case .invalidPortName(let name, let why): "the JACK port name '\(name)' cannot be used: \(why)"
    case .noPorts: "a JACK client needs at least one output or input port"
    case .invalidGroup(let name, let ports):
      "the group '\(name)' is not of the \(ports) ports of its direction, or it has none"
    case .invalidConnection(let text, let why): "cannot connect to '\(text)': \(why)"
    case .serverNotRunning(let server):
      "no JACK server named '\(server)' is running for this user: start one with "
        + "'jackd \(Self.nameOption(server))-d alsa' ('-d dummy' for one without sound), or use "
        + "PipeWire's with 'pw-jack'"
    case .serverNotStarted(let server):
      "no JACK server named '\(server)' is running and none could be started: look at the first "
        + "line of ~/.jackdrc, or start it by hand with 'jackd \(Self.nameOption(server))-d alsa'"
    case .otherServerInUse(let requested, let current):
      "cannot open a client on the JACK server '\(requested)': this process has one on "
        + "'\(current)', and a process can use one server at a time; close it first"
    case .closePreviousClient(let server):
      "cannot open a client on the JACK server '\(server)': an earlier client of this process is "
        + "still open although the server has ended; close it first"
    case .brokenMetadataStore(let path):
      "JACK's store of metadata is broken, and would end every JACK program with a bus error: end the JACK "
        + "servers, if any run, and remove \(path)"
    case .openRefused(let server, let client, let status):
      "the JACK server '\(server)' refused the client '\(client)': " + Self.meaning(of: status)
    case .serverNotAnswering(let server, let doing, let seconds):
      "the JACK server '\(server)' did not answer within \(seconds) s while \(doing): it may be "
        + "stopped or overloaded; restart it"
    case .serverShutDown(let server, let reason):
      "the JACK server '\(server)' has ended (\(reason)): restart it and open again"
    case .portRefused(let name):
      "the JACK server refused to register the port '\(name)': it may have no ports left; start it "
        + "with a higher port limit ('jackd -p')"
    case .activationRefused(let server, let client):
      "the JACK server '\(server)' refused to activate the client '\(client)', or has ended: "
        + "restart it, with a longer period or client timeout ('jackd -t 500') if it is overloaded, and "
        + "open again"
    case .alreadyStarted: "the JACK output was started before"
    case .closed: "the JACK output was closed before"
    case .noMatchingPorts(let pattern):
      "no JACK client or audio input port matches '\(pattern)': 'drawbar ports' lists them"
    case .noSuchPort(let name):
      "there is no JACK audio input port '\(name)': 'drawbar ports' lists them"
    case .tooManyPorts(let named, let outputs):
      "\(named) ports to connect to were named, but there are \(outputs) outputs"
    case .noMatchingSourcePorts(let pattern):
      "no JACK client or audio output port matches '\(pattern)': 'drawbar ports' lists them"
    case .noSuchSourcePort(let name):
      "there is no JACK audio output port '\(name)': 'drawbar ports' lists them"
    case .tooManySourcePorts(let named, let inputs):
      "\(named) ports to connect from were named, but there are \(inputs) inputs"
    case .ownPort(let name):
      "'\(name)' is a port of the same JACK client and would feed back into it: name another one"
    case .connectionRefused(let output, let input):
      "the JACK server did not connect '\(output)' to '\(input)': a server started with 'jackd -a' "
        + "does not let clients connect themselves"
    case .cancelled: "the JACK server had not answered when this was cancelled"
    case .outOfResources(let what): "the system has no more \(what)"
    }
  }

  private static func nameOption(_ server: String) -> String {
    server == "default" ? "" : "-n \(server) "
  }

  /// libjack's status bits in words (jack/types.h, `JackStatus`).
  private static func meaning(of status: UInt32) -> String {
    let known: [(UInt32, String)] = [
      (0x02, "an option is not valid"),
      (
        0x20,
        "communication failed, or the name is taken and too long to have a number appended"
      ),
      (0x80, "the client could not be loaded"), (0x100, "the client could not be initialised"),
      (0x200, "its shared memory could not be read"),
      (0x400, "server and library have different protocol versions"),
    ]
    let words = known.filter { status & $0.0 != 0 }.map { $0.1 }
    let code = "status 0x" + String(status, radix: 16)
    return words.isEmpty ? code : words.joined(separator: ", ") + " (\(code))"
  }
}
