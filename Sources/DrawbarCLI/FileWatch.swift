// SPDX-License-Identifier: MIT

import Glibc

/// A watch that detects changes of files by polling stat(2).
///
/// Polling also detects a replaced folder or symbolic link on the path to the file, which inotify(7) does not report
/// to watchers of the file or its folder.
final class FileWatch {
  /// The time between two checks.
  static let milliseconds: Int32 = 200

  /// The identity and the times of a regular file.
  private struct Stamp: Equatable {
    let device: UInt
    let inode: UInt
    let size: Int
    let written: [Int]
    let changed: [Int]

    /// nil if there is no regular file: a pipe or a device delivers its bytes only once.
    init?(_ path: String) {
      var status = stat()
      guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
      (device, inode, size) = (status.st_dev, status.st_ino, status.st_size)
      written = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
      changed = [status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
    }

    /// True if the file has been written within the resolution of file times, a few milliseconds.
    var isNew: Bool {
      var now = timespec()
      unsafe clock_gettime(CLOCK_REALTIME, &now)
      let seconds = Double(now.tv_sec - written[0])
      return (0..<0.05).contains(seconds + Double(now.tv_nsec - written[1]) / 1e9)
    }
  }

  /// The stamp of each file at the last check, and whether the file was so new that a later write might have had the
  /// same times.
  private var looks: [String: (stamp: Stamp?, isNew: Bool)] = [:]

  /// Watches another file, which need not exist. Call it before reading the file.
  func add(_ path: String) {
    let stamp = Stamp(path)
    looks[path] = (stamp, stamp?.isNew ?? false)
  }

  /// Returns true if a file may have changed since its last check. A file that is missing or not a regular one counts
  /// when it is back.
  func poll() -> Bool {
    var hasChanged = false
    for (path, old) in looks {
      guard let stamp = Stamp(path), old.isNew || stamp != old.stamp else { continue }
      looks[path] = (stamp, stamp.isNew)
      hasChanged = true
    }
    return hasChanged
  }
}
