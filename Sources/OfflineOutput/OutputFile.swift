// SPDX-License-Identifier: MIT

internal import Glibc

/// A file that grows at its end while its header is kept up to date, so that a full disk or a killed
/// process leaves a file that other programs can read.
///
/// One thread at a time; blocks on the disk.
final class OutputFile {
  /// An operation that the system refused.
  struct Failure: Error {
    /// The refused operation: create, write, finish or close.
    var operation: String
    /// The system's error number.
    var code: Int32
  }

  /// Whether bytes in front of the end can be replaced. They cannot in a pipe.
  let isSeekable: Bool
  /// Bytes from the start of the file to its end.
  private(set) var byteCount: UInt64 = 0
  private let descriptor: Int32
  private var isClosed = false

  /// Creates or replaces a file.
  init(creating path: String) throws(Failure) {
    descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    isSeekable = descriptor >= 0 && lseek(descriptor, 0, SEEK_CUR) >= 0
    guard descriptor >= 0 else { throw Failure(operation: "create", code: errno) }
  }

  /// Takes over an open descriptor and never replaces bytes in it: other programs may write to it, too.
  init(appendingTo descriptor: Int32) {
    self.descriptor = descriptor
    isSeekable = false
  }

  deinit {
    if !isClosed { _ = Glibc.close(descriptor) }
  }

  /// Appends all bytes. After a failure ``byteCount`` includes those that were written.
  func append(_ bytes: RawSpan) throws(Failure) {
    guard !isClosed else { throw Failure(operation: "write", code: EBADF) }
    var rest = bytes
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0 && errno == EINTR { continue }
      // A disk that accepts no bytes and reports no error is full.
      guard count > 0 else { throw Failure(operation: "write", code: count == 0 ? ENOSPC : errno) }
      byteCount += UInt64(count)
      rest = rest.extracting(droppingFirst: count)
    }
  }

  /// Replaces bytes inside the file, which needs no space on the disk.
  func replace(with bytes: RawSpan, at offset: UInt64) throws(Failure) {
    guard isSeekable, !isClosed else { return }
    var (rest, place) = (bytes, off_t(offset))
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe pwrite(descriptor, $0.baseAddress, $0.count, place)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw Failure(operation: "finish", code: count == 0 ? EIO : errno) }
      rest = rest.extracting(droppingFirst: count)
      place += off_t(count)
    }
  }

  /// Removes the bytes behind an offset, such as a part of a frame. A file that cannot be cut keeps them.
  func cut(to offset: UInt64) {
    guard isSeekable, offset < byteCount, ftruncate(descriptor, off_t(offset)) == 0 else { return }
    byteCount = offset
    lseek(descriptor, off_t(offset), SEEK_SET)
  }

  /// Closes the file. Closing again does nothing.
  func close() throws(Failure) {
    guard !isClosed else { return }
    isClosed = true
    guard Glibc.close(descriptor) == 0 else { throw Failure(operation: "close", code: errno) }
  }
}

extension OutputFile.Failure {
  /// The reason and the remedy, for one line.
  var reason: String {
    switch code {
    case ENOSPC: "disk full; free space on it, or choose another path"
    case EDQUOT: "disk full up to your quota; free space, or choose another path"
    case EFBIG:
      "larger than the disk's format or 'ulimit -f' allows; choose another path, or raise the limit"
    default: "\(unsafe String(cString: strerror(code))); choose another path"
    }
  }
}
