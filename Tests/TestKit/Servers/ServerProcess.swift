// SPDX-License-Identifier: MIT

import Glibc

/// Another project's server, on a port of 127.0.0.1 that was free, with all that it writes in a folder
/// of its own.
public final class ServerProcess: Sendable {
  /// What stood in the way of a server.
  public struct Failure: Error {
    /// What it said, or what is missing.
    public var text: String

    /// A failure for a reason.
    public init(text: String) {
      self.text = text
    }
  }

  /// Where it listens.
  public let port: UInt16
  private let process: Subprocess

  /// Where Debian has programs that not every user has in `PATH`.
  private static var environment: [String: String] {
    let path = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? "/usr/bin:/bin"
    return ["PATH": path + ":/usr/sbin:/usr/local/sbin"]
  }

  /// Starts a server and waits until it takes connections.
  ///
  /// - Parameters:
  ///   - port: where it has to listen; nil for a free one.
  ///   - arguments: writes the configuration for a port, and gives the command.
  /// - Throws: ``Failure`` with what the server said when it has ended instead.
  public static func start(
    port: UInt16? = nil, _ arguments: (UInt16) throws -> [String]
  ) throws -> ServerProcess {
    var last = Failure(text: "")
    // Between the choice of a free port and the server's start another program may take it.
    for _ in 0..<5 {
      let chosen = port ?? freePort()
      let process = Subprocess(try arguments(chosen), environment: environment)
      var listens = false
      _ = eventually {
        listens = process.pid.map { $0.listens(onPort: chosen) } ?? false
        return listens || process.pid == nil
      }
      if listens, process.pid != nil { return ServerProcess(port: chosen, process: process) }
      last = Failure(text: process.errors.isEmpty ? "it did not start" : process.errors)
      end(process)
    }
    throw last
  }

  private init(port: UInt16, process: Subprocess) {
    self.port = port
    self.process = process
  }

  deinit {
    stop()
  }

  /// Ends it at once, as a crash does, and waits until it is gone. A second call does nothing.
  public func stop() {
    Self.end(process)
  }

  /// What it has written to standard error.
  public var errors: String { process.errors }

  private static func end(_ process: Subprocess) {
    process.signalGroup(SIGKILL)
    process.wait(seconds: 10)
  }

  private static func freePort() -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    precondition(descriptor >= 0, "no descriptors left")
    defer { close(descriptor) }
    return bindToLoopback(descriptor)
  }
}

extension pid_t {
  /// Whether this process takes connections on a port of 127.0.0.1 or of all addresses: its own socket, and
  /// not that of another one which took the port before it (proc_pid_net(5), the state is the kernel's
  /// `TCP_LISTEN`).
  fileprivate func listens(onPort port: UInt16) -> Bool {
    let end = String(port, radix: 16, uppercase: true)
    let suffix = ":" + String(repeating: "0", count: 4 - end.count) + end
    let table = String(decoding: contents(ofFile: "/proc/\(self)/net/tcp"), as: UTF8.self)
    let sockets = table.split(separator: "\n").compactMap { line -> String? in
      let fields = line.split(separator: " ")
      guard fields.count > 9, fields[1].hasSuffix(suffix), fields[3] == "0A" else { return nil }
      return "socket:[\(fields[9])]"
    }
    return sockets.contains { hasOpen($0) }
  }

  private func hasOpen(_ socket: String) -> Bool {
    guard let folder = unsafe opendir("/proc/\(self)/fd") else { return false }
    defer { unsafe closedir(folder) }
    while let name = unsafe nextName(in: folder) {
      var target = [UInt8](repeating: 0, count: 64)
      let count = unsafe readlink("/proc/\(self)/fd/" + name, &target, target.count)
      if count > 0, String(decoding: target[..<count], as: UTF8.self) == socket { return true }
    }
    return false
  }
}
