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
      _ = eventually(seconds: 10) {
        listens = process.pid != nil && accepts(chosen)
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

  /// Whether somebody takes connections on a port.
  private static func accepts(_ port: UInt16) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    precondition(descriptor >= 0, "no descriptors left")
    defer { close(descriptor) }
    var address = loopbackAddress(port: port)
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    return unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe connect(descriptor, pointer, length) == 0
      }
    }
  }
}
