// SPDX-License-Identifier: MIT

import PlayerEngine

/// What a player that leads has the transport do: a value, without the transport.
struct TransportLead {
  enum Command: Equatable {
    case start
    case stop
    case locate(nanoseconds: UInt64)
  }

  /// What the transport was last told, as far as this knows.
  private var isRolling = false
  /// Playing goes on elsewhere, and the transport has not been told.
  private var hasMoved = false

  /// Takes in an event of the player.
  mutating func note(_ event: PlayerEvent) {
    switch event {
    case .started, .sought: hasMoved = true
    default: break
    }
  }

  /// Another transport has to be told everything.
  mutating func beginAnew() {
    (isRolling, hasMoved) = (false, true)
  }

  /// What the transport has to be told now.
  ///
  /// - Parameter snapshot: the player, with the position of what is rendered, not of what is heard.
  mutating func commands(for snapshot: PlayerSnapshot) -> [Command] {
    let isPlaying = snapshot.state == .playing
    guard isPlaying != isRolling || hasMoved else { return [] }
    // What a seek has led to begins in a moment.
    if isPlaying, snapshot.seekTargetNanoseconds != nil { return [] }
    let place = Command.locate(
      nanoseconds: snapshot.seekTargetNanoseconds ?? snapshot.positionNanoseconds)
    defer { (isRolling, hasMoved) = (isPlaying, false) }
    if isPlaying == isRolling { return [place] }
    return isPlaying ? [place, .start] : [.stop, place]
  }
}
