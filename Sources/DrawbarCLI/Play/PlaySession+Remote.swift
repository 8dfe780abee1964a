// SPDX-License-Identifier: MIT

import ByteSources
import MediaControl
import PlayerEngine
import Playlists
import RenderCore

/// The player's state on the session bus, and the commands from other programs.
extension PlaySession {
  static let identity = MediaPlayerIdentity(
    busName: "drawbar", name: "Drawbar", uriSchemes: ["file", "http", "https"],
    mimeTypes: [
      "audio/mpeg", "audio/wav", "audio/x-wav", "audio/vnd.wave", "audio/aiff", "audio/x-aiff",
      "audio/basic", "audio/x-caf", "audio/mp4", "audio/x-m4a", "audio/aac", "audio/flac",
      "audio/x-flac", "audio/ogg", "application/ogg", "audio/opus", "audio/vorbis", "audio/ac3",
      "audio/eac3",
    ])

  /// The maximum number of commands before keys and signals are checked again.
  private static let commandsATime = 64

  /// Publishes the player's state on the bus, and performs the bus's commands.
  func serve(_ remote: MPRISService) {
    remote.update(nowPlaying)
    for _ in 0..<Self.commandsATime {
      guard !isStopping, let command = remote.nextCommand() else { return }
      perform(command)
      remote.update(nowPlaying)
    }
  }

  private var nowPlaying: NowPlaying {
    NowPlaying(
      player.snapshot(latencyFrames: latencyFrames), isPaused: isPaused,
      isAtStart: isAtStart && isPaused,
      volume: isMuted ? 0 : volume)
  }

  private func perform(_ command: RemoteCommand) {
    switch command {
    case .play: resume()
    case .pause: pause()
    case .stop: returnToStart()
    case .next: goToNextTrack()
    case .previous: goToPreviousTrack()
    case .seekBy(let nanoseconds): seek(byNanoseconds: nanoseconds)
    case .seekTo(let nanoseconds): seek(toNanoseconds: nanoseconds)
    case .setLoop(let loop): setRepeat(RepeatMode(loop))
    case .setVolume(let volume): setVolume(Float(volume))
    case .open(let url): open(url)
    case .quit: stop()
    }
  }

  /// Performs MPRIS's Stop: the program keeps running in silence, and playing begins at the track's start.
  private func returnToStart() {
    pause()
    isAtStart = true
    goToTrackStart()
  }

  /// The maximum number of locations that are opened at one time.
  private static let mostProbes = 16

  /// Opens a URL on another thread. The current sound continues until the URL can be played.
  private func open(_ url: String) {
    guard trackCount < Playlist.Limits().entries, probes.count < Self.mostProbes else { return }
    probeCount += 1
    probes.append(TrackProbe(url, number: probeCount, configuration: sources, decode: decode))
  }

  /// Appends requested tracks that are open to the list, and plays those of the latest request. With a followed
  /// transport they are only appended, because their start is unknown until the track before them has ended.
  func takeOpened() {
    for probe in probes {
      guard let outcome = probe.outcome else { continue }
      probes.removeAll { $0 === probe }
      for failure in outcome.failures { noteFailure(failure) }
      let items = outcome.items.prefix(max(0, Playlist.Limits().entries - trackCount))
      guard !items.isEmpty else { continue }
      player.append(Array(items))
      for item in items { list.append(item) }
      let first = trackCount
      trackCount += items.count
      guard probe.number > lastOpenedProbe else { continue }
      lastOpenedProbe = probe.number
      if isFollowing { continue }
      player.play(track: first)
      resume()
    }
  }
}

extension NowPlaying {
  /// - Parameters:
  ///   - isPaused: whether a pause was requested; the player may not have paused yet.
  ///   - isAtStart: whether playback was stopped.
  ///   - volume: the gain, 0 if muted.
  init(_ snapshot: PlayerSnapshot, isPaused: Bool, isAtStart: Bool, volume: Float) {
    self.init()
    switch snapshot.state {
    case .idle, .ended, .failed: status = .stopped
    case .opening, .buffering, .playing, .paused: status = isPaused ? .paused : .playing
    }
    if isAtStart { status = .stopped }
    loop = Loop(snapshot.repeatMode)
    self.volume = Double(volume)
    track = snapshot.track.map { track in
      Track(track, index: snapshot.trackIndex ?? 0, streamTitle: snapshot.streamTitle?.title)
    }
    if !isAtStart {
      positionNanoseconds = snapshot.seekTargetNanoseconds ?? snapshot.positionNanoseconds
      canSeek = snapshot.canSeek
    }
    if let index = snapshot.trackIndex {
      canGoNext = index + 1 < snapshot.trackCount || snapshot.repeatMode == .all
      canGoPrevious = index > 0
    }
  }
}

extension NowPlaying.Track {
  init(_ information: TrackInformation, index: Int, streamTitle: String?) {
    self.init(index: index)
    (artist, title) = (information.artist, information.title)
    // A station's tags, if it has any, are those of the first track that it played.
    if let station = information.station { (artist, title) = (station.name, streamTitle) }
    title = title ?? information.location.lastPathPart
    album = information.album
    // Also written as "3/12".
    number = information.trackNumber.flatMap { Int32($0.prefix { $0 != "/" }) }
    url = information.location.trackURL
    durationNanoseconds = information.durationNanoseconds
  }
}

extension NowPlaying.Loop {
  init(_ mode: RepeatMode) {
    switch mode {
    case .off: self = .none
    case .one: self = .track
    case .all: self = .playlist
    }
  }
}

extension RepeatMode {
  init(_ loop: NowPlaying.Loop) {
    switch loop {
    case .none: self = .off
    case .track: self = .one
    case .playlist: self = .all
    }
  }
}
