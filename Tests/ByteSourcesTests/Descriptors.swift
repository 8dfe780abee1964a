// SPDX-License-Identifier: MIT

import Glibc
import Testing

/// open(2), with mode 0644 for a new file.
func openDescriptor(_ path: String, _ flags: Int32) -> Int32 {
  let descriptor = unsafe open(path, flags | O_CLOEXEC, 0o644)
  #expect(descriptor >= 0)
  return descriptor
}

/// write(2).
func writeBytes(_ bytes: [UInt8], to descriptor: Int32) -> Int {
  unsafe bytes.withUnsafeBytes { bytes in
    unsafe write(descriptor, bytes.baseAddress, bytes.count)
  }
}

/// pipe(2).
func makePipe() -> (readEnd: Int32, writeEnd: Int32) {
  var ends: [Int32] = [-1, -1]
  let result = unsafe pipe(&ends)
  #expect(result == 0)
  return (ends[0], ends[1])
}

/// The number of descriptors that this process has open.
func openDescriptorCount() -> Int {
  guard let directory = unsafe opendir("/proc/self/fd") else { return -1 }
  defer { unsafe closedir(directory) }
  var count = 0
  while unsafe readdir(directory) != nil { count += 1 }
  return count
}

/// The number of this process's descriptors for a directory or its contents.
func openDescriptorCount(under path: String) -> Int {
  (0..<1024).count { descriptor in
    var target = [CChar](repeating: 0, count: 4096)
    let link = "/proc/self/fd/\(descriptor)"
    let count = unsafe readlink(link, &target, target.count)
    let bytes = target.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
    return String(decoding: bytes, as: UTF8.self).hasPrefix(path)
  }
}

/// A temporary directory for a test's files.
final class TemporaryDirectory: Sendable {
  let path: String

  init() {
    var template = Array("/tmp/drawbar-test-XXXXXX".utf8CString)
    path = unsafe String(cString: mkdtemp(&template))
  }

  deinit {
    for name in names { _ = unsafe unlink("\(path)/\(name)") }
    _ = unsafe rmdir(path)
  }

  /// The names of its entries.
  var names: [String] {
    guard let directory = unsafe opendir(path) else { return [] }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
        unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// Writes a file and returns its path.
  func file(_ name: String, _ bytes: [UInt8]) -> String {
    let path = "\(path)/\(name)"
    let descriptor = openDescriptor(path, O_WRONLY | O_CREAT | O_TRUNC)
    var rest = bytes[...]
    while case let count = writeBytes(Array(rest), to: descriptor), count > 0 {
      rest = rest.dropFirst(count)
    }
    close(descriptor)
    return path
  }
}
