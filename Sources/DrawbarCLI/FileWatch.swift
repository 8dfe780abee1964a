// SPDX-License-Identifier: MIT

import Glibc

/// Notices when files change, by looking at them: stat(2).
///
/// That also finds a folder or a symbolic link that was replaced on the way to the file, which inotify(7) reports to
/// nobody who watches the file or its folder.
final class FileWatch {
  /// The time between two looks.
  static let milliseconds: Int32 = 200

  /// The identity and the times of a regular file.
  private struct Stamp: Equatable {
    let device: UInt
    let inode: UInt
    let size: Int
    let written: [Int]
    let changed: [Int]

    /// nil if there is no regular file: a pipe or a device has its bytes once.
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

  /// The stamp of each file at the last look, and whether the file was so new that a later write might have had the same
  /// times.
  private var looks: [String: (stamp: Stamp?, isNew: Bool)] = [:]

  /// Watches a file, which need not exist, in addition to the others. Call it before the file is read.
  func add(_ path: String) {
    let stamp = Stamp(path)
    looks[path] = (stamp, stamp?.isNew ?? false)
  }

  /// Returns whether a file may have changed since the last look at it. Files that are gone, and those that are not
  /// regular ones, count when they are back.
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
