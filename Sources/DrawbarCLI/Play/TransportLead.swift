// SPDX-License-Identifier: MIT

import PlayerEngine

/// What a player that leads has the transport do: a value, without the transport.
struct TransportLead {
  enum Command: Equatable {
    case start
    case stop
    case locate(nanoseconds: UInt64)
  }

  /// How the output takes to what it is told.
  struct Timing {
    /// How long the transport takes to go somewhere, in which the sound goes on.
    var delayNanoseconds: UInt64
    /// How long a cycle is.
    var cycleNanoseconds: UInt64
  }

  /// What the transport was last told, as far as this knows.
  private(set) var isRolling = false
  /// Where the player was then, and how long the output had run.
  private var told: (place: UInt64, output: UInt64)?

  /// Another transport has to be told everything.
  mutating func beginAnew() {
    (isRolling, told) = (false, nil)
  }

  /// What the transport has to be told now: where the player is not where it would be by what was told
  /// last, it has been sought in, or another track has begun.
  ///
  /// - Parameter snapshot: the player, with the position of what is rendered, not of what is heard.
  mutating func commands(for snapshot: PlayerSnapshot, _ timing: Timing) -> [Command] {
    let isPlaying = snapshot.state == .playing
    guard isPlaying || snapshot.state == .paused || told != nil else { return [] }
    // What a seek has led to begins in a moment.
    if isPlaying, snapshot.seekTargetNanoseconds != nil { return [] }
    let place = snapshot.seekTargetNanoseconds ?? snapshot.positionNanoseconds
    guard isPlaying != isRolling || !isExpected(place, snapshot, timing) else { return [] }
    defer {
      isRolling = isPlaying
      told = (place, snapshot.outputNanoseconds)
    }
    let locate = Command.locate(nanoseconds: place + (isPlaying ? timing.delayNanoseconds : 0))
    if isPlaying == isRolling { return [locate] }
    return isPlaying ? [locate, .start] : [.stop, locate]
  }

  /// Whether a place follows from what was told, but for a cycle that has ended while it was looked at.
  private func isExpected(
    _ place: UInt64, _ snapshot: PlayerSnapshot, _ timing: Timing
  ) -> Bool {
    guard let told else { return false }
    let elapsed = isRolling ? snapshot.outputNanoseconds - told.output : 0
    let difference = Int64(place) - Int64(told.place + elapsed)
    return difference.magnitude <= 50_000_000 + 2 * timing.cycleNanoseconds
  }
}
