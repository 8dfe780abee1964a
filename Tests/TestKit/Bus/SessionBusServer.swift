// SPDX-License-Identifier: MIT

import Glibc

/// A real `dbus-daemon` with a session bus of its own, for tests, and other projects' clients for it. It starts no
/// services.
public final class SessionBusServer: Sendable {
  /// A failed step, in the programs' own words.
  public struct Failure: Error, CustomStringConvertible {
    /// The reason.
    public var description: String
  }

  private let folder: TemporaryDirectory
  private let process: Subprocess

  /// The bus's address.
  public var address: String { "unix:path=" + folder.file("bus") }

  /// The folder that its socket is in, as `bus`.
  public var directory: String { folder.path }

  /// The environment in which a program finds the bus.
  public var environment: [String: String] { ["DBUS_SESSION_BUS_ADDRESS": address] }

  /// Starts the daemon and waits until it accepts clients.
  public init() throws {
    let folder = TemporaryDirectory()
    let configuration = """
      <busconfig><type>session</type><listen>unix:path=\(folder.file("bus"))</listen>
      <policy context="default"><allow send_destination="*" eavesdrop="true"/>
      <allow eavesdrop="true"/><allow own="*"/></policy></busconfig>
      """
    try folder.write(configuration, "bus.conf")
    self.folder = folder
    process = Subprocess([
      "dbus-daemon", "--config-file=" + folder.file("bus.conf"), "--nofork", "--print-address",
    ])
    let process = process
    guard eventually({ process.pid == nil || process.output.contains("\n") }),
      process.pid != nil
    else { throw Failure(description: "dbus-daemon did not start: \(process.errors)") }
  }

  deinit { stop() }

  /// Stops the daemon with SIGSTOP, or continues it.
  public func freeze(_ isFrozen: Bool = true) {
    process.signalGroup(isFrozen ? SIGSTOP : SIGCONT)
  }

  /// Ends the daemon; its clients lose their connections.
  public func stop() {
    freeze(false)
    process.signalGroup(SIGTERM)
    if process.wait(seconds: 5) == nil {
      process.signalGroup(SIGKILL)
      process.wait(seconds: 5)
    }
  }

  /// Runs `playerctl` on the players called `drawbar`, and returns its output without the line's end.
  ///
  /// - Throws: the program's message if it failed.
  public func playerctl(_ arguments: [String]) throws -> String {
    try output(["playerctl", "--player=drawbar"] + arguments)
  }

  /// Runs `busctl`, and returns its output without the line's end.
  ///
  /// - Throws: the program's message if it failed.
  public func busctl(_ arguments: [String]) throws -> String {
    try output(["busctl", "--address=" + address] + arguments)
  }

  /// Returns the names on the bus that begin with this.
  public func names(from beginning: String) -> [String] {
    let list = try? busctl(["list", "--no-legend", "--acquired"])
    return (list ?? "").split(separator: "\n").compactMap { line in
      line.split(separator: " ").first.map(String.init)
    }.filter { $0.hasPrefix(beginning) }
  }

  /// Starts `dbus-monitor` for signals of MPRIS's object; it monitors when this returns.
  public func monitor() throws -> Subprocess {
    let monitor = Subprocess([
      "dbus-monitor", "--address", address, "type='signal',path='/org/mpris/MediaPlayer2'",
    ])
    // This is the last signal that dbus-monitor receives as an ordinary client.
    guard eventually({ monitor.output.contains("NameLost") }) else {
      throw Failure(description: "dbus-monitor did not start: \(monitor.errors)")
    }
    return monitor
  }

  private func output(_ command: [String]) throws -> String {
    let result = Subprocess.run(
      command, environment: environment.merging(["LC_ALL": "C.UTF-8"]) { $1 })
    guard result.exit == .status(0) else {
      throw Failure(
        description: "\(command): \(String(describing: result.exit)) \(result.errors)")
    }
    return result.output.hasSuffix("\n") ? String(result.output.dropLast()) : result.output
  }
}
