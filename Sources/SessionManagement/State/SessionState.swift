// SPDX-License-Identifier: MIT

/// The state that `drawbar` saves in a session, to resume where it was.
package struct SessionState: Equatable, Sendable {
  /// The subcommand's state.
  package enum Content: Equatable, Sendable {
    case play(PlayState)
    case monitor(MonitorState)
  }

  /// The command line's arguments after the subcommand.
  package var arguments: [String]
  /// The folder of relative paths in the arguments.
  package var directory: String
  package var content: Content

  package init(arguments: [String], directory: String, content: Content) {
    self.arguments = arguments
    self.directory = directory
    self.content = content
  }

  /// The state without the track and position, which change by themselves during playback.
  package var withoutPosition: SessionState {
    var state = self
    switch content {
    case .play(var play):
      (play.playback.track, play.playback.positionSeconds) = (0, 0)
      state.content = .play(play)
    case .monitor(var monitor):
      monitor.with?.track = 0
      monitor.with?.positionSeconds = 0
      state.content = .monitor(monitor)
    }
    return state
  }
}

/// A saved track: its location, and metadata from a list.
package struct SavedTrack: Equatable, Sendable {
  /// An absolute path or a URL, including any password.
  package var location: String
  package var title: String?
  package var creator: String?
  package var album: String?
  package var durationSeconds: Double?

  /// About 32 years.
  static let longestSeconds = 1e9

  package init(location: String) {
    self.location = location
  }

  /// A track with metadata from a list, which may be anything: removes NULs from texts, and drops a duration outside 0
  /// to `longestSeconds`.
  package init(
    location: String, title: String?, creator: String?, album: String?, durationSeconds: Double?
  ) {
    func kept(_ text: String?) -> String? {
      text.map { String($0.unicodeScalars.filter { $0 != "\0" }) }
    }
    self.location = location
    (self.title, self.creator, self.album) = (kept(title), kept(creator), kept(album))
    self.durationSeconds = durationSeconds.flatMap {
      (0...Self.longestSeconds).contains($0) ? $0 : nil
    }
  }
}

/// A list of tracks and the position in it.
package struct PlaybackState: Equatable, Sendable {
  /// At least one.
  package var tracks: [SavedTrack]
  /// Index of the current track, from 0.
  package var track: Int
  /// Time in that track; 0 if it cannot be sought in.
  package var positionSeconds: Double
  package var isPaused: Bool

  package init(tracks: [SavedTrack], track: Int, positionSeconds: Double, isPaused: Bool) {
    self.tracks = tracks
    self.track = track
    self.positionSeconds = positionSeconds
    self.isPaused = isPaused
  }
}

/// The saved state of `drawbar play`.
package struct PlayState: Equatable, Sendable {
  /// A repeat mode: the track that plays after the end of another.
  package enum Repeat: String, Sendable {
    case off, one, all
  }

  package var playback: PlaybackState
  /// 0 to 400.
  package var volumePercent: Double
  package var isMuted: Bool
  package var repeats: Repeat

  package init(
    playback: PlaybackState, volumePercent: Double, isMuted: Bool, repeats: Repeat
  ) {
    self.playback = playback
    self.volumePercent = volumePercent
    self.isMuted = isMuted
    self.repeats = repeats
  }
}

/// The saved state of `drawbar monitor`.
package struct MonitorState: Equatable, Sendable {
  /// -100 to 40.
  package var gainDecibels: Double
  package var isMuted: Bool
  /// -100 to 100.
  package var pan: Double
  /// Counted from 1, in order.
  package var invertedInputs: [Int]
  package var highPassHertz: Double?
  /// -60 to 0.
  package var limitDecibels: Double?
  /// The gain of each input for each output, in decibels; nil for an input that is not routed to the output.
  package var matrix: [[Double?]]
  /// The tracks that play along.
  package var with: PlaybackState?

  package init(
    gainDecibels: Double, isMuted: Bool, pan: Double, invertedInputs: [Int],
    highPassHertz: Double?, limitDecibels: Double?, matrix: [[Double?]], with: PlaybackState?
  ) {
    self.gainDecibels = gainDecibels
    self.isMuted = isMuted
    self.pan = pan
    self.invertedInputs = invertedInputs
    self.highPassHertz = highPassHertz
    self.limitDecibels = limitDecibels
    self.matrix = matrix
    self.with = with
  }
}
