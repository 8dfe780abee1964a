// SPDX-License-Identifier: MIT

import ArgumentParser
import Glibc

/// A load on the machine during a measurement.
enum BenchLoad: String, CaseIterable, ExpressibleByArgument {
  case none
  /// A busy loop for each processor, and one more.
  case cpu
  /// Copies between buffers that no cache holds.
  case memory
  /// Writes a file, and waits for the disk each time.
  case disk
  /// Starts processes that end at once.
  case fork
  /// Sends bytes to itself over the loopback device.
  case network

  /// Starts the load in child processes, which end when they are deallocated.
  func start() throws -> [ChildProcess] {
    if self == .none { return [] }
    let count = self == .cpu ? sysconf(Int32(_SC_NPROCESSORS_ONLN)) + 1 : 1
    return try (0..<count).map { _ in
      try ChildProcess(OwnProgram.path, ["bench", "load", rawValue])
    }
  }

  /// Runs the load in this process until a signal ends it.
  func run() throws -> Never {
    switch self {
    case .none: while true { pause() }
    case .cpu: while true {}
    case .memory: copyMemory()
    case .disk: try writeDisk()
    case .fork: makeProcesses()
    case .network: try sendBytes()
    }
  }

  private func copyMemory() -> Never {
    let bytes = 64 << 20
    let source = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 64)
    let target = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 64)
    unsafe memset(source, 1, bytes)
    while true { unsafe memcpy(target, source, bytes) }
  }

  private func writeDisk() throws -> Never {
    // /var/tmp is on a disk; /tmp may be in memory.
    var path = Array("/var/tmp/drawbar-bench-XXXXXX".utf8CString)
    let file = unsafe mkstemp(&path)
    guard file >= 0 else { throw BenchFailure("no file can be made in /var/tmp") }
    // The file vanishes with the process, however the process ends.
    unsafe unlink(&path)
    let piece = [UInt8](repeating: 0x5A, count: 1 << 20)
    var position = 0
    while true {
      guard unsafe pwrite(file, piece, piece.count, position) == piece.count, fdatasync(file) == 0
      else { throw BenchFailure("/var/tmp cannot be written to: a load is missing") }
      position = (position + piece.count) % (64 << 20)
    }
  }

  private func makeProcesses() -> Never {
    while true {
      guard let child = try? ChildProcess("true", []) else { continue }
      _ = try? child.wait(isCancelled: { false })
    }
  }

  private func sendBytes() throws -> Never {
    let failure = BenchFailure("no connection can be made to 127.0.0.1")
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let sender = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let isConnected = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(listener, $0, size) == 0 && listen(listener, 1) == 0
          && getsockname(listener, $0, &size) == 0 && connect(sender, $0, size) == 0
      }
    }
    guard isConnected else { throw failure }
    let receiver = accept(listener, nil, nil)
    guard receiver >= 0 else { throw failure }
    var piece = [UInt8](repeating: 0x5A, count: 64 << 10)
    while true {
      let sent = unsafe send(sender, piece, piece.count, 0)
      var left = sent
      while left > 0 {
        let count = unsafe recv(receiver, &piece, left, 0)
        guard count > 0 else { throw failure }
        left -= count
      }
    }
  }
}

/// The path of this program's executable, to start it as a child process.
enum OwnProgram {
  static var path: String { "/proc/\(getpid())/exe" }
}

/// `drawbar bench load`: puts one kind of load on the machine. Started by `drawbar bench`.
struct BenchLoadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "load", abstract: "Load the machine until a signal ends it.", shouldDisplay: false)

  @Argument(help: "none, cpu, memory, disk, fork or network.")
  var load: BenchLoad

  func run() throws {
    try Failure.reporting { try load.run() }
  }
}
