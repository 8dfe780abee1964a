// SPDX-License-Identifier: MIT

import AudioModel
import Glibc

/// A regular file, or anything else with a descriptor that delivers bytes: a FIFO, a character
/// device, standard input.
final class FileByteSource: ByteSource, @unchecked Sendable {
  private enum State {
    case open(descriptor: Int32)
    /// Everything was read; a regular file can go on at another byte offset.
    case exhausted(descriptor: Int32)
    case closed
    case failed(ByteSourceError)
  }

  private let facts: ByteSourceInformation
  /// The pipe polled for a wake beside the descriptor; nil for a regular file, which never waits.
  private let wakePipe: WakePipe?
  private let exclusive = ExclusiveUse()
  private var state: State
  /// Whether the next byte is not the first one.
  private var isBehindStart = false
  /// Bytes of a regular file that the system is asked to read ahead: a disk that has to spin up first takes up
  /// to ten seconds.
  private static let readAheadBytes: off_t = 1 << 20
  /// The offset of a regular file's next byte, and the end of the requested read-ahead.
  private var place: off_t = 0
  private var advisedEnd: off_t = 0
  /// The offset of a regular file's first byte: other programs may have read from standard input before.
  private let start: off_t

  /// Takes over the descriptor, and closes it even if this throws.
  private init(descriptor: Int32, name: String, path: String?) throws(ByteSourceError) {
    do throws(ByteSourceError) {
      var status = stat()
      guard unsafe fstat(descriptor, &status) == 0 else { throw Self.error(errno, at: name) }
      let kind = status.st_mode & S_IFMT
      guard kind != S_IFDIR else { throw ByteSourceError(.directory, at: name) }
      guard isatty(descriptor) == 0 else { throw ByteSourceError(.terminal, at: name) }
      let isRegular = kind == S_IFREG
      start = isRegular ? max(0, lseek(descriptor, 0, SEEK_CUR)) : 0
      place = start
      if isRegular {
        wakePipe = nil
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
      } else {
        guard let pipe = WakePipe() else { throw Self.error(errno, at: name) }
        wakePipe = pipe
      }
      facts = ByteSourceInformation(
        name: name,
        // Generated files, as in /proc, have size 0 and content.
        byteCount: isRegular && status.st_size > start ? UInt64(status.st_size - start) : nil,
        isRepositionable: isRegular, isLocal: isRegular,
        fileTypeHint: path.flatMap { AudioFileTypeID(hintedByPath: $0) })
      state = .open(descriptor: descriptor)
    } catch {
      _ = Glibc.close(descriptor)
      throw error
    }
  }

  deinit {
    close()
  }

  /// Opens a path.
  convenience init(path: String) throws(ByteSourceError) {
    // O_NONBLOCK: opening a FIFO must not wait for its writer; a read on one never waits either,
    // because poll(2) is asked first.
    let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { throw Self.error(errno, at: path.onOneLine) }
    try self.init(descriptor: descriptor, name: path.onOneLine, path: path)
  }

  /// Opens a source over a duplicate of descriptor 0, so that closing it leaves standard input open.
  static func standardInput() throws(ByteSourceError) -> FileByteSource {
    let name = "standard input"
    let descriptor = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
    guard descriptor >= 0 else { throw error(errno, at: name) }
    return try FileByteSource(descriptor: descriptor, name: name, path: nil)
  }

  var information: ByteSourceInformation { facts }

  func read(
    into buffer: UnsafeMutableRawBufferPointer, timeoutNanoseconds: UInt64
  ) throws(ByteSourceError) -> ByteSourceRead {
    precondition(buffer.count > 0, "a read needs room for a byte")
    return try exclusive { () throws(ByteSourceError) in
      switch state {
      case .failed(let error): throw error
      case .closed, .exhausted: return .end
      case .open(let descriptor):
        return try unsafe read(descriptor, into: buffer, timeoutNanoseconds: timeoutNanoseconds)
      }
    }
  }

  func reposition(to byteOffset: UInt64) throws(ByteSourceError) {
    try exclusive { () throws(ByteSourceError) in
      switch state {
      case .failed(let error): throw error
      case .closed: return
      case .open(let descriptor), .exhausted(let descriptor):
        guard facts.isRepositionable else {
          throw ByteSourceError(.notRepositionable, at: facts.name)
        }
        // An offset too large for the system is behind the end of any file.
        let wanted = min(UInt64(off_t.max) - UInt64(start), byteOffset)
        var reached = lseek(descriptor, start + off_t(wanted), SEEK_SET)
        if reached < 0, errno == EINVAL {
          // The file system may not support so large an offset; that, too, is behind the end.
          reached = lseek(descriptor, 0, SEEK_END)
        }
        guard reached >= 0 else { throw fail(Self.error(errno, at: facts.name)) }
        isBehindStart = wanted > 0
        place = reached
        advisedEnd = reached
        state = .open(descriptor: descriptor)
      }
    }
  }

  func wake() {
    wakePipe?.wake()
  }

  func close() {
    exclusive {
      finish(.closed)
    }
  }

  private func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, timeoutNanoseconds: UInt64
  ) throws(ByteSourceError) -> ByteSourceRead {
    let start = monotonicNanoseconds()
    while true {
      if let wakePipe {
        let elapsed = monotonicNanoseconds() - start
        let remaining = timeoutNanoseconds - min(elapsed, timeoutNanoseconds)
        guard poll(descriptor, wakePipe, nanoseconds: remaining) else { return .wait }
      }
      let count = unsafe Glibc.read(descriptor, buffer.baseAddress!, buffer.count)
      if count > 0 {
        isBehindStart = true
        if wakePipe == nil { readAhead(of: descriptor, by: count) }
        return .bytes(count)
      }
      if count == 0 {
        guard isBehindStart else { throw fail(ByteSourceError(.empty, at: facts.name)) }
        if facts.isRepositionable {
          state = .exhausted(descriptor: descriptor)
        } else {
          finish(.closed)
        }
        return .end
      }
      switch errno {
      case EINTR: continue
      // Another reader of the same pipe was faster.
      case EAGAIN: return .wait
      default: throw fail(Self.error(errno, at: facts.name))
      }
    }
  }

  /// Requests read-ahead from the system, so that later reads do not wait.
  private func readAhead(of descriptor: Int32, by count: Int) {
    place &+= off_t(count)
    guard advisedEnd < place &+ Self.readAheadBytes / 2 else { return }
    let from = max(place, advisedEnd)
    advisedEnd = place &+ Self.readAheadBytes
    posix_fadvise(descriptor, from, advisedEnd &- from, POSIX_FADV_WILLNEED)
  }

  /// Waits until a read would not block, and returns whether that is so; false after the time or a wake.
  private func poll(_ descriptor: Int32, _ wakePipe: WakePipe, nanoseconds: UInt64) -> Bool {
    var entries = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: wakePipe.readEnd, events: Int16(POLLIN), revents: 0),
    ]
    // An interrupted poll(2) leaves the entries zero and is a wait cut short, which callers repeat.
    guard unsafe Glibc.poll(&entries, 2, pollMilliseconds(nanoseconds)) > 0 else { return false }
    if entries[1].revents != 0 { wakePipe.drain() }
    // POLLHUP and POLLERR count: read(2) then reports the end or the error.
    return entries[0].revents != 0
  }

  private func fail(_ error: ByteSourceError) -> ByteSourceError {
    finish(.failed(error))
    return error
  }

  private func finish(_ end: State) {
    switch state {
    case .open(let descriptor), .exhausted(let descriptor): _ = Glibc.close(descriptor)
    case .closed, .failed: break
    }
    state = end
  }

  /// Returns the error for an errno of open(2), fstat(2) or read(2).
  static func error(_ number: Int32, at name: String) -> ByteSourceError {
    let reason: ByteSourceError.Reason =
      switch number {
      case ENOENT, ENOTDIR: .notFound
      case EACCES, EPERM: .permissionDenied
      case EISDIR: .directory
      default: .system(errno: number)
      }
    return ByteSourceError(reason, at: name)
  }
}
