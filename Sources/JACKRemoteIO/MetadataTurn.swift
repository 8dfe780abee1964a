// SPDX-License-Identifier: MIT

internal import Glibc

/// A lock that lets one client of a user at a time access JACK's metadata store.
///
/// jack2 keeps the store in a Berkeley DB that the processes themselves read and write, with locks but without
/// deadlock detection. Two clients that set metadata at once can wait for each other for ever, and so does the
/// server as soon as a client is closed. Two programs started together by a session did this within some tries.
///
/// The kernel releases the lock when its process ends, however it ends.
enum MetadataTurn {
  private static let pollMicroseconds: UInt32 = 2000

  /// Runs `body` with the lock, after waiting for it. Not for the render thread.
  ///
  /// - Parameters:
  ///   - milliseconds: the longest wait.
  ///   - body: receives whether it has the lock; true, too, if the lock file cannot be used.
  static func take<Result>(
    withinMilliseconds milliseconds: Int, _ body: (_ isOurs: Bool) -> Result
  ) -> Result {
    let file = unsafe open(
      "/dev/shm/drawbar-metadata-\(geteuid()).lock",
      O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { return body(true) }
    // Also releases the lock.
    defer { close(file) }
    let deadline = Deadline(nanosecondsFromNow: UInt64(milliseconds) * 1_000_000)
    while flock(file, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else { return body(true) }
      if deadline.hasPassed { return body(false) }
      usleep(pollMicroseconds)
    }
    return body(true)
  }
}
