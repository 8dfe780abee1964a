// SPDX-License-Identifier: MIT

/// What a program has asked of JACK's transport and JACK may not report yet. The next key counts from there.
struct WantedTransport {
  /// JACK takes a request in at a cycle's end and reports it a cycle later; twice that, to be safe.
  private static let cycles: UInt64 = 4

  private var place: (nanoseconds: UInt64, cycle: UInt64)?
  private var rolling: (isWanted: Bool, cycle: UInt64)?

  /// Notes a place that was asked for in a cycle.
  mutating func locate(_ nanoseconds: UInt64, cycle: UInt64) { place = (nanoseconds, cycle) }

  /// Notes in which cycle a start or a stop was asked for.
  mutating func roll(_ isWanted: Bool, cycle: UInt64) { rolling = (isWanted, cycle) }

  /// The place that JACK may not report yet; nil when it does.
  func nanoseconds(cycle: UInt64) -> UInt64? {
    place.flatMap { cycle < $0.cycle + Self.cycles ? $0.nanoseconds : nil }
  }

  /// Whether it is to roll, where JACK may not report that yet; nil when it does.
  func isRolling(cycle: UInt64) -> Bool? {
    rolling.flatMap { cycle < $0.cycle + Self.cycles ? $0.isWanted : nil }
  }
}
