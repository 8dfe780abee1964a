// SPDX-License-Identifier: MIT

internal import Glibc

/// Lets the clients of a user's programs ask JACK's store of metadata one at a time.
///
/// jack2 keeps it in a Berkeley DB that the processes themselves read and write, with locks and without
/// anything that finds a deadlock: of two clients that set their metadata at once, each can wait for the
/// other for ever, and then the server does so, too, as soon as a client is closed. Two programs that a
/// session starts together did that within some tries.
///
/// The kernel gives a turn back when its process ends, however that is.
enum MetadataTurn {
  private static let pollMicroseconds: UInt32 = 2000

  /// Does something in a turn of its own. Waits for that; not for the render thread.
  ///
  /// - Parameters:
  ///   - milliseconds: how long it waits at most.
  ///   - body: is told whether it has the turn. It has it, too, where turns cannot be taken.
  static func take<Result>(
    withinMilliseconds milliseconds: Int, _ body: (_ isOurs: Bool) -> Result
  ) -> Result {
    let file = unsafe open(
      "/dev/shm/drawbar-metadata-\(geteuid()).lock",
      O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { return body(true) }
    // Gives the turn back as well.
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
