// SPDX-License-Identifier: MIT

import Glibc
import Synchronization

/// The reason why a spool cannot be used.
struct SpoolFailure: Error, Hashable {
  let errno: Int32
}

/// A directory with spool files, shared by all sources of this process that use it.
///
/// A file is locked (flock(2)) while it is in use, and the kernel releases the locks of a dead process. So a
/// spool file of this user that can be locked was left by a dead process, and is removed when a process opens
/// the directory. Files with other names, and all but regular files, are never touched.
final class SpoolDirectory: Sendable {
  /// The open directory: files are reached through it even if it is renamed.
  private let descriptor: Int32
  /// Protects the number of bytes granted to this process's files there, together.
  private let grantedBytes = Mutex<UInt64>(0)

  private struct Shared {
    weak var directory: SpoolDirectory?
  }

  /// Protects the directories that are in use, by path.
  private static let opened = Mutex<[String: Shared]>([:])

  private init(path: String) throws(SpoolFailure) {
    try Self.make(path)
    // Not O_NOFOLLOW: a cache directory that a user has moved elsewhere, leaving a link, is still theirs.
    descriptor = unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SpoolFailure(errno: errno) }
  }

  deinit {
    _ = Glibc.close(descriptor)
  }

  /// Returns the directory at a path, creating it if need be. On its first use in this process, files left by
  /// dead processes are removed.
  static func open(_ path: String) throws(SpoolFailure) -> SpoolDirectory {
    try opened.withLock { (opened) throws(SpoolFailure) in
      if let directory = opened[path]?.directory { return directory }
      let directory = try SpoolDirectory(path: path)
      directory.removeDeadFiles()
      opened = opened.filter { $0.value.directory != nil }
      opened[path] = Shared(directory: directory)
      return directory
    }
  }

  /// Creates the directory, and its parent if that does not exist: a user's cache directory, but never the home
  /// directory, whose absence has a reason.
  private static func make(_ path: String) throws(SpoolFailure) {
    if unsafe mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    let failure = SpoolFailure(errno: errno)
    guard failure.errno == ENOENT, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")),
      slash > path.startIndex
    else { throw failure }
    for path in [String(path[..<slash]), path] {
      guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else {
        throw SpoolFailure(errno: errno)
      }
    }
  }

  /// Allows a file to grow, if room is left: the larger a file is, the more it leaves to others, so that a long
  /// stream does not take all of it.
  ///
  /// - Parameters:
  ///   - byteCount: the file's growth.
  ///   - present: the file's present size.
  ///   - maximumBytes: the limit for all files together.
  func grant(_ byteCount: UInt64, besides present: UInt64, maximumBytes: UInt64) -> Bool {
    grantedBytes.withLock { granted in
      let (own, isTooMuch) = present.addingReportingOverflow(byteCount)
      guard !isTooMuch, granted <= maximumBytes, byteCount <= maximumBytes - granted,
        own / 4 <= maximumBytes - granted - byteCount
      else { return false }
      granted += byteCount
      return true
    }
  }

  /// Takes back the bytes granted to a file.
  func takeBack(_ byteCount: UInt64) {
    grantedBytes.withLock { $0 -= byteCount }
  }

  /// Creates a locked file of mode 0600 with a unique name.
  func makeFile() throws(SpoolFailure) -> (name: String, descriptor: Int32) {
    // Another process that opens the directory may find the new file before it is locked, and remove it; then
    // it is created again.
    for _ in 0..<16 {
      let name = SpoolFileName.random()
      let file = unsafe openat(
        descriptor, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
      guard file >= 0 else {
        if errno == EEXIST || errno == EINTR { continue }
        throw SpoolFailure(errno: errno)
      }
      if flock(file, LOCK_EX | LOCK_NB) == 0 {
        if isFile(file, named: name) { return (name, file) }
      } else if errno != EWOULDBLOCK {
        // A file system without locks: dead files could not be distinguished from those in use.
        let failure = SpoolFailure(errno: errno)
        remove(name, file)
        throw failure
      }
      _ = Glibc.close(file)
    }
    throw SpoolFailure(errno: EAGAIN)
  }

  /// Removes a file, if it still has that name, and closes it.
  func remove(_ name: String, _ file: Int32) {
    if isFile(file, named: name) { _ = unsafe unlinkat(descriptor, name, 0) }
    _ = Glibc.close(file)
  }

  /// Removes the files whose process has died.
  func removeDeadFiles() {
    let listing = unsafe openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard listing >= 0 else { return }
    guard let directory = unsafe fdopendir(listing) else {
      _ = Glibc.close(listing)
      return
    }
    defer { unsafe closedir(directory) }
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if SpoolFileName.isOne(name) { removeIfDead(name) }
    }
  }

  private func removeIfDead(_ name: String) {
    // Checked before opening, which may have effects on anything but a regular file, and after it.
    var status = stat()
    guard unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
      status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid()
    else { return }
    let file = unsafe openat(
      descriptor, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard file >= 0 else { return }
    if flock(file, LOCK_EX | LOCK_NB) == 0 {
      remove(name, file)
    } else {
      _ = Glibc.close(file)
    }
  }

  /// Returns whether an open file is regular and has this name in the directory.
  private func isFile(_ file: Int32, named name: String) -> Bool {
    var (opened, named) = (stat(), stat())
    guard unsafe fstat(file, &opened) == 0,
      unsafe fstatat(descriptor, name, &named, AT_SYMLINK_NOFOLLOW) == 0
    else { return false }
    return opened.st_mode & S_IFMT == S_IFREG && opened.st_ino == named.st_ino
      && opened.st_dev == named.st_dev
  }
}

/// The name of a spool file: `drawbar-0123456789abcdef.spool`, with 16 random digits.
enum SpoolFileName {
  private static var prefix: String { "drawbar-" }
  private static var suffix: String { ".spool" }
  private static var digitCount: Int { 16 }

  /// Returns a name that no other file is likely to have.
  static func random() -> String {
    let digits = String(UInt64.random(in: 0 ... .max), radix: 16)
    let zeros = String(repeating: "0", count: digitCount - digits.utf8.count)
    return prefix + zeros + digits + suffix
  }

  /// Returns whether a file's name has exactly this form.
  static func isOne(_ name: String) -> Bool {
    guard name.hasPrefix(prefix), name.hasSuffix(suffix),
      name.utf8.count == prefix.utf8.count + digitCount + suffix.utf8.count
    else { return false }
    return name.utf8.dropFirst(prefix.utf8.count).prefix(digitCount).allSatisfy {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
    }
  }
}
