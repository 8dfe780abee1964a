// SPDX-License-Identifier: MIT

internal import AudioModel
internal import Glibc

/// The file of a saved state: `state.json` in the folder that a session manager names. Only its owner may read it,
/// because URLs may hold passwords.
///
/// Blocks on the disk: never for a render thread.
package struct StateFile: Sendable {
  /// A failure to read or write the file.
  package enum Failure: Error, Equatable {
    /// The file, or its folder, could not be read or written: the operation, the path and `errno`.
    case system(operation: String, path: String, code: Int32)
    /// The file is not a regular one, or too large to be a state.
    case notRegular(String)
    /// The file's content is not a state.
    case content(String, SessionStateError)
    /// The state could not be read again: the file's path and the error.
    case unkeepable(String, SessionStateError)
    /// The state is larger than the largest file that is read; the file's path.
    case tooLarge(String)
  }

  /// The folder.
  let directory: String
  /// The file in it.
  package let path: String
  /// Bytes of the largest file: a hundred thousand tracks of 300 bytes.
  static let largest = 32 << 20

  /// - Parameter directory: the session manager's folder; it need not exist.
  package init(in directory: String) {
    self.directory = directory
    path = directory + "/state.json"
  }

  /// Returns the saved state; nil if there is none.
  package func read() throws(Failure) -> SessionState? {
    // Without waiting for the other end, if the path is a named pipe.
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

  /// Replaces the saved state, completely or not at all; creates missing folders.
  ///
  /// - Throws: the failure, also if the state could not be read again and so must not count as saved. The former file
  ///   stays.
  package func write(_ state: SessionState) throws(Failure) {
    let bytes = try readableBytes(of: state)
    try makeDirectories()
    let temporary = directory + "/.state.json.\(getpid())"
    // Removes a file that an earlier process with this ID left behind.
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

  /// Makes the new name survive a power cut. If the file system cannot do that, the file exists all the same.
  private func keepName() {
    let descriptor = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }
}

extension StateFile.Failure: CustomStringConvertible {
  /// The failure, its path and a remedy, in one line.
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
