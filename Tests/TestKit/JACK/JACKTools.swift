// SPDX-License-Identifier: MIT

import Glibc

/// A server that JACK's tools can query.
public protocol JACKTools {
  /// The environment in which a client finds the server.
  var toolEnvironment: [String: String] { get }
}

extension JACKServer: JACKTools {
  /// A port as `jack_lsp` lists it.
  public struct Port: Sendable, Equatable {
    /// The full name.
    public var name: String
    /// The full names of the ports that it is connected to.
    public var connections: [String] = []
    /// Words such as `output`, `physical`, `terminal`.
    public var properties: [String] = []
  }

  /// The environment with the server's name.
  public var toolEnvironment: [String: String] {
    ["JACK_DEFAULT_SERVER": Self.name, "JACK_NO_START_SERVER": "1"]
  }
}

extension JACKTools {
  /// Runs one of JACK's tools against this server, and ends it after some seconds.
  public func run(_ arguments: [String], seconds: Double = 20) throws -> String {
    let result = Subprocess.run(arguments, environment: toolEnvironment, seconds: seconds)
    guard result.exit == .status(0) else {
      throw JACKServer.Failure(
        description: "\(arguments): \(String(describing: result.exit)) \(result.errors)")
    }
    return result.output
  }

  /// Connects ports with `jack_connect`, an output to an input. The tool first becomes a client, which a server of 16
  /// frames a period sometimes refuses.
  public func connect(_ output: String, _ input: String) throws {
    var failure: (any Error)?
    let isConnected = try eventually {
      do {
        _ = try run(["jack_connect", output, input])
        return true
      } catch {
        failure = error
        return try ports().contains { $0.name == output && $0.connections.contains(input) }
      }
    }
    if !isConnected, let failure { throw failure }
  }

  /// Runs `body` while no client of Drawbar's sets metadata, since a client that is killed while it does would leave
  /// those of all servers locked. After five seconds without the lock `body` runs anyway.
  public static func holdingMetadata<Result>(_ body: () throws -> Result) throws -> Result {
    let path = "/dev/shm/drawbar-metadata-\(geteuid()).lock"
    let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(file) }
    guard file >= 0 else { throw JACKServer.Failure(description: "\(path) cannot be opened") }
    _ = eventually(seconds: 5) { flock(file, LOCK_EX | LOCK_NB) == 0 }
    return try body()
  }

  /// Returns all ports of the server, in its order, as another client sees them. Tests poll it while a program starts,
  /// so it holds the metadata lock: the tool opens the same store, and two concurrent writers of it can deadlock. The
  /// tool also hangs if libjack cuts one of its own threads short at the end (see `ServerFarewell`), so it is ended
  /// after three seconds, and started once more.
  public func ports() throws -> [JACKServer.Port] {
    var ports: [JACKServer.Port] = []
    let tool = ["jack_lsp", "-c", "-p"]
    let list = try Self.holdingMetadata { try (try? run(tool, seconds: 3)) ?? run(tool) }
    for line in list.split(separator: "\n") {
      let text = line.drop { $0 == " " || $0 == "\t" }
      if text.startIndex == line.startIndex {
        ports.append(JACKServer.Port(name: String(line)))
      } else if ports.isEmpty {
        continue
      } else if let words = text.split(separator: ": ", maxSplits: 1).last,
        text.hasPrefix("properties: ")
      {
        ports[ports.count - 1].properties = words.split(separator: ",").map { String($0) }
      } else {
        ports[ports.count - 1].connections.append(String(text))
      }
    }
    return ports
  }

  /// Starts to record ports, as 32-bit float, one channel each.
  public func startCapture(of ports: [String], seconds: Int) -> JACKCapture {
    JACKCapture(ports: ports, seconds: seconds, environment: toolEnvironment)
  }
}

/// A recording by `jack_capture`, which is another program's view of a port's output.
public final class JACKCapture: Sendable {
  private let folder = TemporaryDirectory()
  private let process: Subprocess
  private let seconds: Int

  init(ports: [String], seconds: Int, environment: [String: String]) {
    // jack_capture's default bit depth is FLOAT; it does not accept `-b FLOAT`.
    var arguments = ["jack_capture", "--daemon", "-d", "\(seconds)", "-c", "\(ports.count)"]
    for port in ports { arguments += ["-p", port] }
    process = Subprocess(arguments + [folder.file("capture.wav")], environment: environment)
    self.seconds = seconds
  }

  /// Ends the recording early.
  public func stop() {
    process.signalGroup(SIGTERM)
  }

  /// Waits for the end of the recording and reads it.
  public func finish() throws -> FloatWave {
    let exit = process.wait(seconds: Double(seconds) + 10)
    guard exit == .status(0) else {
      process.signalGroup(SIGKILL)
      throw JACKServer.Failure(
        description: "jack_capture: \(String(describing: exit)) \(process.output) \(process.errors)"
      )
    }
    return try FloatWave(path: folder.file("capture.wav"))
  }
}
