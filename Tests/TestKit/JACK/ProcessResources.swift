// SPDX-License-Identifier: MIT

public import Glibc

/// The system resources of a process, and of the server of ``JACKServer/name``.
public struct ProcessResources: Sendable, Equatable {
  /// Threads of the process.
  public var threads: Int
  /// Open file descriptors of the process.
  public var descriptors: Int
  /// Shared-memory mappings of the process.
  public var mappings: Int
  /// Files of shared memory, semaphores and sockets that belong to the server or its clients.
  public var sharedFiles: Int
  /// Entries in the machine's list of servers, which has room for eight.
  public var serverSlots: Int

  /// The resources of this process now.
  public static var now: ProcessResources {
    var now = of(getpid())
    // The descriptor that this reading opened does not count.
    now.descriptors -= 1
    return now
  }

  /// Returns the resources of a process now.
  public static func of(_ pid: pid_t) -> ProcessResources {
    let maps = String(decoding: contents(ofFile: "/proc/\(pid)/maps"), as: UTF8.self)
    return ProcessResources(
      threads: names(in: "/proc/\(pid)/task").count,
      descriptors: names(in: "/proc/\(pid)/fd").count,
      mappings: maps.split(separator: "\n").count { $0.contains("/dev/shm/") },
      sharedFiles: names(in: "/dev/shm").count { $0.contains(JACKServer.name + "_") },
      serverSlots: slots)
  }

  /// Returns whether no count is above the other's.
  public func isWithin(_ other: ProcessResources) -> Bool {
    threads <= other.threads && descriptors <= other.descriptors && mappings <= other.mappings
      && sharedFiles <= other.sharedFiles && serverSlots <= other.serverSlots
  }

  /// The used slots of jack2's list: 24 bytes of head, then eight entries of a process's number and a name of 260 bytes
  /// (common/shm.h, `jack_shm_server_t`).
  private static var slots: Int {
    let list = contents(ofFile: "/dev/shm/jack-shm-registry")
    return (0..<8).count { slot in
      let start = 24 + slot * 264
      guard list.count >= start + 264, list[start..<start + 4].contains(where: { $0 != 0 }) else {
        return false
      }
      let name = String(decoding: list[start + 4..<start + 264].prefix { $0 != 0 }, as: UTF8.self)
      return name.contains(":\(JACKServer.name):")
    }
  }

  /// Returns the kernel's numbers of a process's threads.
  public static func threads(of process: pid_t) -> [pid_t] {
    names(in: "/proc/\(process)/task").compactMap { pid_t($0) }
  }

  /// Returns whether a signal has stopped all threads of a process.
  public static func isStopped(_ process: pid_t) -> Bool {
    threads(of: process).allSatisfy { thread in
      let bytes = contents(ofFile: "/proc/\(process)/task/\(thread)/stat")
      // The state follows the name, which may have any characters in it.
      return String(decoding: bytes, as: UTF8.self)
        .split(separator: ")").last?.split(separator: " ").first ?? "T" == "T"
    }
  }

  /// Returns the name, wait channel and system call of each thread of a process, as far as the kernel shows them, for a
  /// message about a program that hangs.
  public static func waits(of process: pid_t) -> String {
    threads(of: process).map { thread in
      ["comm", "wchan", "syscall"].map { name in
        let bytes = contents(ofFile: "/proc/\(process)/task/\(thread)/\(name)")
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
      }.joined(separator: " ")
    }.joined(separator: "; ")
  }

  /// Returns the resident memory of a process, in bytes; nil once the process has ended.
  public static func residentBytes(of process: pid_t = getpid()) -> Int? {
    let status = String(decoding: contents(ofFile: "/proc/\(process)/status"), as: UTF8.self)
    for line in status.split(separator: "\n") where line.hasPrefix("VmRSS:") {
      return line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }.map { $0 << 10 }
    }
    return nil
  }

  private static func names(in path: String) -> [String] {
    guard let folder = unsafe opendir(path) else { return [] }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while let name = unsafe nextName(in: folder) {
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }
}
