// SPDX-License-Identifier: MIT

/// What another program asks a player to do. What MPRIS has ignored, clamped or refused is not among
/// them: each is something that the player can try.
public enum RemoteCommand: Sendable, Equatable {
  /// Go on, or begin.
  case play
  /// Be silent and keep the place.
  case pause
  /// Be silent, and begin with the track's start when asked to play.
  case stop
  /// Go on with the next track.
  case next
  /// Go back to the track before.
  case previous
  /// Go so much on from where the sound is, or a seek is leading; negative: back.
  case seekBy(nanoseconds: Int64)
  /// Go to a time in the track that is heard.
  case seekTo(nanoseconds: UInt64)
  /// Choose what follows a track.
  case setLoop(NowPlaying.Loop)
  /// Choose the gain, 1 is as decoded: finite, and not negative.
  case setVolume(Double)
  /// Play what is there: a URL of one of the schemes that were announced.
  case open(url: String)
  /// End.
  case quit
}
