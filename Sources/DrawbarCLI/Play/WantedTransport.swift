// SPDX-License-Identifier: MIT

/// The latest requests to JACK's transport, until JACK reports their results. The next key counts from them.
struct WantedTransport {
  /// JACK reports the result of a request within two cycles. This is twice that.
  private static let cycles: UInt64 = 4

  private var position: (nanoseconds: UInt64, cycle: UInt64)?
  private var rolling: (isWanted: Bool, cycle: UInt64)?

  /// Records a position that was requested in a cycle.
  mutating func locate(_ nanoseconds: UInt64, cycle: UInt64) { position = (nanoseconds, cycle) }

  /// Records a start or a stop that was requested in a cycle.
  mutating func roll(_ isWanted: Bool, cycle: UInt64) { rolling = (isWanted, cycle) }

  /// Returns the requested position; nil once JACK reports it.
  func nanoseconds(cycle: UInt64) -> UInt64? {
    position.flatMap { cycle < $0.cycle + Self.cycles ? $0.nanoseconds : nil }
  }

  /// Returns true after a request to start, false after one to stop; nil once JACK reports its result.
  func isRolling(cycle: UInt64) -> Bool? {
    rolling.flatMap { cycle < $0.cycle + Self.cycles ? $0.isWanted : nil }
  }
}
