// SPDX-License-Identifier: MIT

/// A command of another program to a player. Requests that MPRIS ignores or refuses are left out, and values out of
/// range are clamped: the player can try each command.
public enum RemoteCommand: Sendable, Equatable {
  /// Resume, or start.
  case play
  /// Become silent and keep the position.
  case pause
  /// Become silent; a later play starts the track from its beginning.
  case stop
  /// Start the next track.
  case next
  /// Return to the previous track.
  case previous
  /// Seek forward or, if negative, backward, relative to the position or to the target of a seek in progress.
  case seekBy(nanoseconds: Int64)
  /// Seek to a time in the current track.
  case seekTo(nanoseconds: UInt64)
  /// Set the repeat mode.
  case setLoop(NowPlaying.Loop)
  /// Set the gain: finite and not negative; 1 leaves the sound as decoded.
  case setVolume(Double)
  /// Play a URL of one of the announced schemes.
  case open(url: String)
  /// Quit.
  case quit
}
