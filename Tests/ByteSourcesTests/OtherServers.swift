// SPDX-License-Identifier: MIT

import Glibc
import Testing

/// A listening port whose queue is full, so that the kernel drops further attempts to connect.
final class FullListener {
  let port: UInt16
  private var descriptors: [Int32] = []

  init() throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    descriptors = [listener]
    let results = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        var results = unsafe [bind(listener, pointer, length), listen(listener, 0)]
        unsafe results.append(getsockname(listener, pointer, &length))
        return results
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    try #require(results == [0, 0, 0])
    for _ in 0..<4 {
      let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      _ = fcntl(client, F_SETFL, O_NONBLOCK)
      unsafe withUnsafePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
          _ = unsafe connect(client, pointer, length)
        }
      }
      descriptors.append(client)
    }
  }

  deinit {
    for descriptor in descriptors { close(descriptor) }
  }
}

/// `openssl s_server` with a self-signed certificate.
final class TLSServer {
  static var isAvailable: Bool { unsafe access(program, X_OK) == 0 }

  let port: UInt16
  private let process: pid_t
  private let directory: TemporaryDirectory
  private static let program = "/usr/bin/openssl"

  /// Starts the server on a port that the system chooses; nil if it does not start.
  init?() {
    let directory = TemporaryDirectory()
    let (key, certificate) = ("\(directory.path)/key.pem", "\(directory.path)/certificate.pem")
    guard
      let (maker, _) = Self.spawn([
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
        "-subj", "/CN=127.0.0.1", "-days", "2", "-keyout", key, "-out", certificate,
      ])
    else { return nil }
    waitpid(maker, nil, 0)
    guard
      let (process, output) = Self.spawn([
        "s_server", "-accept", "127.0.0.1:0", "-key", key, "-cert", certificate, "-www",
      ])
    else { return nil }
    self.process = process
    self.directory = directory
    // "ACCEPT 127.0.0.1:PORT" is the last line before the server waits for connections.
    var text = ""
    var bytes = [UInt8](repeating: 0, count: 1024)
    while true {
      let count = unsafe read(output, &bytes, bytes.count)
      guard count > 0 else { break }
      text += String(decoding: bytes[..<count], as: UTF8.self)
      if text.contains("ACCEPT"), text.hasSuffix("\n") { break }
    }
    close(output)
    let digits = text.reversed().drop { !$0.isNumber }.prefix { $0.isNumber }
    port = UInt16(String(digits.reversed())) ?? 0
  }

  func stop() {
    kill(process, SIGKILL)
    waitpid(process, nil, 0)
  }

  /// Runs openssl, and returns its process and its output.
  private static func spawn(_ arguments: [String]) -> (process: pid_t, output: Int32)? {
    let (readEnd, writeEnd) = makePipe()
    _ = fcntl(readEnd, F_SETFD, FD_CLOEXEC)
    defer { close(writeEnd) }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, writeEnd, 1)
    unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    unsafe posix_spawn_file_actions_addclose(&actions, writeEnd)
    var pointers: [UnsafeMutablePointer<CChar>?] = unsafe []
    for argument in [program] + arguments { unsafe pointers.append(strdup(argument)) }
    unsafe pointers.append(nil)
    defer {
      while let pointer = unsafe pointers.popLast() { unsafe free(pointer) }
    }
    var process: pid_t = 0
    let result = unsafe posix_spawn(&process, program, &actions, nil, &pointers, environ)
    guard result == 0 else {
      close(readEnd)
      return nil
    }
    return (process, readEnd)
  }
}
