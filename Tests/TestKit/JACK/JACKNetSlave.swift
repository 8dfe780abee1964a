// SPDX-License-Identifier: MIT

import Glibc

/// A second `jackd` on this machine, which has no sound card but the network to a ``JACKServer``: NetJACK2,
/// over the loopback interface. Its name is the server's with `-net` appended.
public final class JACKNetSlave: JACKTools, Sendable {
  /// The slave's client in the master's graph.
  public static let client = "slave"
  private static let name = JACKServer.name + "-net"

  private let process: Subprocess

  private init(process: Subprocess) {
    self.process = process
  }

  /// Starts a master and a slave with two channels each way, runs the test with both and ends them. On a busy machine
  /// packets come late and are lost. If the servers reported losses, or did not find each other, the test runs
  /// again, at most four times in all.
  ///
  /// - Parameters:
  ///   - options: the master's. The master must not wait for its clients (`-S`): a late slave would then bring it down.
  ///   - latency: cycles that the packets may take on the way (`-l`).
  ///   - isRight: returns whether a run's result is as expected.
  /// - Returns: the result of the last run.
  public static func with<Result>(
    _ options: JACKServer.Options, latency: Int, until isRight: (Result) -> Bool,
    _ body: (JACKServer, JACKNetSlave) throws -> Result
  ) throws -> Result {
    for _ in 0..<3 {
      let result: Result? = try JACKServer.with(options) { master in
        guard let slave = try? start(of: master, latency: latency) else { return nil }
        defer { slave.end() }
        let before = (master.log, slave.log)
        let result = try body(master, slave)
        return isRight(result) || before == (master.log, slave.log) ? result : nil
      }
      if let result { return result }
    }
    return try JACKServer.with(options) { master in
      let slave = try start(of: master, latency: latency)
      defer { slave.end() }
      return try body(master, slave)
    }
  }

  /// Makes the master listen for slaves, and starts one.
  private static func start(of master: JACKServer, latency: Int) throws -> JACKNetSlave {
    let way = ["-a", "127.0.0.1", "-p", "\(freePort())"]
    _ = try master.run(["jack_load", "netmanager", "-i", way.joined(separator: " ")])
    let arguments =
      ["jackd", "-n", name, "-R", "-P", "70", "-p", "128", "-d", "net"] + way
      + ["-C", "2", "-P", "2", "-l", "\(latency)", "-n", client]
    let slave = JACKNetSlave(process: Subprocess(arguments))
    // Other clients would disturb the two servers while they find each other.
    let isReady = eventually {
      slave.process.pid == nil || master.log.contains("Syncing with latency")
    }
    let hasPorts =
      isReady && slave.process.pid != nil
      && eventually {
        (try? master.ports().filter { $0.name.hasPrefix(client) }.count) == 4
          && (try? slave.ports().count) == 4
      }
    if hasPorts { return slave }
    let log = slave.log
    slave.end()
    throw JACKServer.Failure(description: "no slave: \(log) \(master.log)")
  }

  /// The environment with the server's name.
  public var toolEnvironment: [String: String] {
    ["JACK_DEFAULT_SERVER": Self.name, "JACK_NO_START_SERVER": "1"]
  }

  /// The server's output so far.
  public var log: String { process.output + process.errors }

  private func end() {
    process.signalGroup(SIGTERM)
    if process.wait(seconds: 5) == nil {
      process.signalGroup(SIGKILL)
      process.wait(seconds: 5)
    }
  }

  private static func freePort() -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    precondition(descriptor >= 0, "no descriptors left")
    defer { close(descriptor) }
    return bindToLoopback(descriptor)
  }
}
