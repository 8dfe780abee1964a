// SPDX-License-Identifier: MIT

/// What `drawbar` keeps in a session: all that it needs to go on where it was.
package struct SessionState: Equatable, Sendable {
  /// What it was doing.
  package enum Content: Equatable, Sendable {
    case play(PlayState)
    case monitor(MonitorState)
  }

  /// The command line that it was begun with, behind the subcommand.
  package var arguments: [String]
  /// The folder that relative paths among the arguments are in.
  package var directory: String
  package var content: Content

  package init(arguments: [String], directory: String, content: Content) {
    self.arguments = arguments
    self.directory = directory
    self.content = content
  }

  /// The state without what changes by itself while something is played: the place in the list.
  package var withoutPlace: SessionState {
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

/// A track as it is kept: what opens it, and what a list has said of it.
package struct SavedTrack: Equatable, Sendable {
  /// An absolute path or a URL, with the password in it if there is one.
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

  /// A track with what a list has said of it, as far as that can be kept: texts without their NULs, and no
  /// duration that is longer than any. A list may say anything.
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

/// A list of tracks and the place in it.
package struct PlaybackState: Equatable, Sendable {
  /// At least one.
  package var tracks: [SavedTrack]
  /// The one that was heard, counted from 0.
  package var track: Int
  /// Time in that track; 0 where it cannot be gone to.
  package var positionSeconds: Double
  package var isPaused: Bool

  package init(tracks: [SavedTrack], track: Int, positionSeconds: Double, isPaused: Bool) {
    self.tracks = tracks
    self.track = track
    self.positionSeconds = positionSeconds
    self.isPaused = isPaused
  }
}

/// What `drawbar play` keeps.
package struct PlayState: Equatable, Sendable {
  /// What follows when a track has been played to its end.
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

/// What `drawbar monitor` keeps.
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
  /// For each output its inputs' gains in decibels; nil for what is not passed on.
  package var matrix: [[Double?]]
  /// What plays along.
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
