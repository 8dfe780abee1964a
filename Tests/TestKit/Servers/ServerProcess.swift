// SPDX-License-Identifier: MIT

import Glibc

/// Another project's server, on a free port of 127.0.0.1, with all its files in a folder of its own.
public final class ServerProcess: Sendable {
  /// The error for a server that did not start.
  public struct Failure: Error {
    /// The server's message, or the missing item.
    public var text: String

    /// A failure for a reason.
    public init(text: String) {
      self.text = text
    }
  }

  /// The port on which the server listens.
  public let port: UInt16
  private let process: Subprocess

  /// `PATH` with the folders in which Debian has programs that are not in every user's `PATH`.
  private static var environment: [String: String] {
    let path = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? "/usr/bin:/bin"
    return ["PATH": path + ":/usr/sbin:/usr/local/sbin"]
  }

  /// Starts a server and waits until it accepts connections.
  ///
  /// - Parameters:
  ///   - port: the port on which it must listen; nil for a free one.
  ///   - arguments: writes the configuration for a port, and returns the command.
  /// - Throws: ``Failure`` with the server's message if the server ended instead.
  public static func start(
    port: UInt16? = nil, _ arguments: (UInt16) throws -> [String]
  ) throws -> ServerProcess {
    var last = Failure(text: "")
    // Another program may take the free port between its choice and the server's start.
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

  /// Ends the server at once, as a crash does, and waits for its end. A second call does nothing.
  public func stop() {
    Self.end(process)
  }

  /// The server's standard error so far.
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
  /// Returns whether this process accepts connections on a port of 127.0.0.1 or of all addresses, by a socket of its
  /// own, not of a process that took the port before it (proc_pid_net(5), the state is the kernel's `TCP_LISTEN`).
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
