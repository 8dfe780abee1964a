// SPDX-License-Identifier: MIT

internal import CJACK
internal import Glibc

/// Has a server make clients active.
enum Activation {
  /// For how long a server is asked that refuses.
  static let patienceNanoseconds: UInt64 = 1_000_000_000

  /// Asks the server to call for the client's cycles.
  ///
  /// jackd refuses when no cycle of its own begins within twenty periods, ten times the client timeout that it
  /// works with: at 16 frames 6.7 ms, which a machine that is busy with other things lets pass now and then. So it
  /// is asked again.
  ///
  /// - Parameter isServerGone: whether there is nobody left to ask.
  /// - Returns: whether it has done so. If not, the client is as it was.
  static func activate(_ client: OpaquePointer, unless isServerGone: () -> Bool) -> Bool {
    let end = Deadline(nanosecondsFromNow: patienceNanoseconds)
    while unsafe jack_activate(client) != 0 {
      // libjack takes a client for active that was refused.
      unsafe jack_deactivate(client)
      if isServerGone() || end.hasPassed { return false }
      usleep(10_000)
    }
    return true
  }
}
