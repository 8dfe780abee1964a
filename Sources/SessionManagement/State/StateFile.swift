// SPDX-License-Identifier: MIT

internal import AudioModel
internal import Glibc

/// The file that a state is kept in: `state.json` in the folder that a session manager names. Readable by its
/// owner alone, because URLs may hold passwords.
///
/// Blocks on the disk: never for a render thread.
package struct StateFile: Sendable {
  /// What went wrong.
  package enum Failure: Error, Equatable {
    /// The file, or its folder, could not be read or written: what was tried, on what, and `errno`.
    case system(operation: String, path: String, code: Int32)
    /// The file is no regular one, or too large to be a state.
    case notRegular(String)
    /// What is in it is no state.
    case content(String, SessionStateError)
    /// The state could not be read again: the file it was for, and what stands in the way.
    case unkeepable(String, SessionStateError)
    /// The state takes more bytes than are read again; the file it was for.
    case tooLarge(String)
  }

  /// The folder.
  let directory: String
  /// The file in it.
  package let path: String
  /// A hundred thousand tracks of 300 bytes.
  static let largest = 32 << 20

  /// - Parameter directory: where the session manager wants it; it need not be there.
  package init(in directory: String) {
    self.directory = directory
    path = directory + "/state.json"
  }

  /// What is kept there; nil where nothing is.
  package func read() throws(Failure) -> SessionState? {
    // Not waiting for the other end of a pipe that somebody may have put there.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw .system(operation: "read", path: path, code: errno)
    }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_size <= Self.largest
    else { throw .notRegular(path) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count <= Self.largest {
      let count = unsafe Glibc.read(descriptor, &part, part.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw .system(operation: "read", path: path, code: errno) }
      if count == 0 { break }
      bytes += part[..<count]
    }
    do throws(SessionStateError) {
      return try SessionState(parsing: bytes)
    } catch {
      throw .content(path, error)
    }
  }

  /// Puts a state in the place of what was there, whole or not at all; makes the folder, and those above it,
  /// where they are missing.
  ///
  /// - Throws: what stands in the way, also where the state could not be read again: nobody is to be told that
  ///   it is kept then. What was there stays.
  package func write(_ state: SessionState) throws(Failure) {
    let bytes = try readableBytes(of: state)
    try makeDirectories()
    let temporary = directory + "/.state.json.\(getpid())"
    // What a program of this number has left behind.
    unsafe unlink(temporary)
    let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw .system(operation: "create", path: temporary, code: errno)
    }
    var code = Self.write(bytes, to: descriptor)
    if close(descriptor) != 0, code == 0 { code = errno }
    if code == 0, unsafe rename(temporary, path) != 0 { code = errno }
    guard code == 0 else {
      unsafe unlink(temporary)
      throw .system(operation: "write", path: path, code: code)
    }
    keepName()
  }

  private func readableBytes(of state: SessionState) throws(Failure) -> [UInt8] {
    let bytes = state.fileBytes
    guard bytes.count <= Self.largest else { throw .tooLarge(path) }
    do throws(SessionStateError) {
      _ = try SessionState(parsing: bytes)
    } catch {
      throw .unkeepable(path, error)
    }
    return bytes
  }

  /// - Returns: `errno`, or 0 when all is on the disk.
  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return count < 0 ? errno : EIO }
      rest = rest.dropFirst(count)
    }
    return fsync(descriptor) == 0 ? 0 : errno
  }

  private func makeDirectories() throws(Failure) {
    var end = directory.startIndex
    repeat {
      let from = end < directory.endIndex ? directory.index(after: end) : end
      end = directory[from...].firstIndex(of: "/") ?? directory.endIndex
      let folder = String(directory[..<end])
      if folder.isEmpty { continue }
      guard unsafe mkdir(folder, 0o777) == 0 || errno == EEXIST else {
        throw .system(operation: "create", path: folder, code: errno)
      }
    } while end < directory.endIndex
  }

  /// Has the new name outlive a power cut. Where a file system cannot do that, the file is there all the same.
  private func keepName() {
    let descriptor = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }
}

extension StateFile.Failure: CustomStringConvertible {
  /// What is wrong, where, and what to do, in one line.
  package var description: String { sentence.asMessage }

  private var sentence: String {
    switch self {
    case .system(let operation, let path, let code):
      "cannot \(operation) \(path): \(unsafe String(cString: strerror(code)))"
    case .notRegular(let path):
      "\(path) is no regular file of at most \(StateFile.largest >> 20) MiB; move it away"
    case .content(let path, let error):
      "\(path) cannot be used: \(error); move it away to begin anew"
    case .unkeepable(let path, let error):
      "cannot write \(path): it could not be read again: \(error)"
    case .tooLarge(let path):
      "cannot write \(path): it would be larger than \(StateFile.largest >> 20) MiB; play fewer tracks"
    }
  }
}
