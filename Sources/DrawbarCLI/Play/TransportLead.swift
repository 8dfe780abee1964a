// SPDX-License-Identifier: MIT

import PlayerEngine

/// The commands of a leading player to JACK's transport, as a value without the transport.
struct TransportLead {
  enum Command: Equatable {
    case start
    case stop
    case locate(nanoseconds: UInt64)
  }

  /// The timing of the output's transport.
  struct Timing {
    /// The time until the transport has changed its position, during which the sound continues.
    var delayNanoseconds: UInt64
    /// The length of a cycle.
    var cycleNanoseconds: UInt64
  }

  /// The last state that was requested from the transport.
  private(set) var isRolling = false
  /// The player's position and the output's running time at the last command.
  private var told: (position: UInt64, output: UInt64)?

  /// Forgets the last command, because a new transport needs all of them.
  mutating func beginAnew() {
    (isRolling, told) = (false, nil)
  }

  /// Returns the commands that the transport needs now: if playing has started or stopped, or if the position does not
  /// follow from the last command, after a seek or with another track.
  ///
  /// - Parameter snapshot: the player's state, with the position of the rendered sound, not of the audible one.
  mutating func commands(for snapshot: PlayerSnapshot, _ timing: Timing) -> [Command] {
    let isPlaying = snapshot.state == .playing
    guard isPlaying || snapshot.state == .paused || told != nil else { return [] }
    // The sound at a seek's target begins in a moment.
    if isPlaying, snapshot.seekTargetNanoseconds != nil { return [] }
    let position = snapshot.seekTargetNanoseconds ?? snapshot.positionNanoseconds
    guard isPlaying != isRolling || !isExpected(position, snapshot, timing) else { return [] }
    defer {
      isRolling = isPlaying
      told = (position, snapshot.outputNanoseconds)
    }
    let locate = Command.locate(nanoseconds: position + (isPlaying ? timing.delayNanoseconds : 0))
    if isPlaying == isRolling { return [locate] }
    return isPlaying ? [locate, .start] : [.stop, locate]
  }

  /// Returns true if a position follows from the last command, with a tolerance for cycles that have just ended.
  private func isExpected(
    _ position: UInt64, _ snapshot: PlayerSnapshot, _ timing: Timing
  ) -> Bool {
    guard let told else { return false }
    let elapsed = isRolling ? snapshot.outputNanoseconds - told.output : 0
    let difference = Int64(position) - Int64(told.position + elapsed)
    return difference.magnitude <= 50_000_000 + 2 * timing.cycleNanoseconds
  }
}
