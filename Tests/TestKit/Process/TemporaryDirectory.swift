// SPDX-License-Identifier: MIT

import Glibc

/// A folder for one test, which is removed with its contents when this object is freed.
public final class TemporaryDirectory: Sendable {
  /// The folder's absolute path, without a slash at its end.
  public let path: String

  /// Makes the folder in `TMPDIR`, or in /tmp.
  public init() {
    let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
    var template = Array((parent + "/drawbar-test-XXXXXX").utf8CString)
    let result = unsafe mkdtemp(&template)
    unsafe precondition(result != nil, "cannot make a folder in \(parent)")
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    removeTree(path)
  }

  /// Writes a file with this text.
  public func write(_ text: String, _ name: String) throws {
    guard let stream = unsafe fopen(file(name), "wb") else {
      throw WorkshopError.failed("open \(name)")
    }
    defer { unsafe fclose(stream) }
    let bytes = Array(text.utf8)
    guard unsafe fwrite(bytes, 1, bytes.count, stream) == bytes.count else {
      throw WorkshopError.failed("write \(name)")
    }
  }

  /// Returns the path of an entry of this name.
  public func file(_ name: String) -> String { path + "/" + name }
}

/// Returns the bytes of a file; none if it cannot be read.
public func contents(ofFile path: String) -> [UInt8] {
  let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return [] }
  defer { close(descriptor) }
  var result: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = unsafe read(descriptor, &chunk, chunk.count)
    if count < 0, errno == EINTR { continue }
    guard count > 0 else { return result }
    result.append(contentsOf: chunk[..<count])
  }
}

/// Returns the next name of an open folder; nil at its end.
func nextName(in folder: OpaquePointer) -> String? {
  guard let entry = unsafe readdir(folder) else { return nil }
  return unsafe withUnsafePointer(to: &entry.pointee.d_name) {
    unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
  }
}

private func removeTree(_ path: String) {
  if let folder = unsafe opendir(path) {
    while let name = unsafe nextName(in: folder) {
      if name == "." || name == ".." { continue }
      // A folder cannot be unlinked: it must be emptied first.
      if unsafe unlink(path + "/" + name) != 0 { removeTree(path + "/" + name) }
    }
    unsafe closedir(folder)
  }
  unsafe rmdir(path)
}
