// SPDX-License-Identifier: MIT

internal import CJACK
internal import Glibc

/// Activates clients on a server.
enum Activation {
  /// The longest time over which a refused activation is retried.
  static let patienceNanoseconds: UInt64 = 1_000_000_000

  /// Activates the client: the server calls it in each cycle from then on.
  ///
  /// jackd refuses if none of its own cycles begins within twenty periods, ten times its client timeout: 6.7 ms
  /// at 16 frames. A busy machine exceeds that now and then, so the request is repeated.
  ///
  /// - Parameter isServerGone: whether the server has ended, which ends the attempts.
  /// - Returns: whether the client is active. If not, the client is as it was.
  static func activate(_ client: OpaquePointer, unless isServerGone: () -> Bool) -> Bool {
    let end = Deadline(nanosecondsFromNow: patienceNanoseconds)
    while unsafe jack_activate(client) != 0 {
      // libjack regards the refused client as active.
      unsafe jack_deactivate(client)
      if isServerGone() || end.hasPassed { return false }
      usleep(10_000)
    }
    return true
  }
}
