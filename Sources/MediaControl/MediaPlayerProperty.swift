// SPDX-License-Identifier: MIT

/// The properties of the interface `org.mpris.MediaPlayer2` (MPRIS 2.2), none of which changes.
enum RootProperty: String, CaseIterable {
  case canQuit = "CanQuit"
  case canRaise = "CanRaise"
  case hasTrackList = "HasTrackList"
  case identity = "Identity"
  case supportedUriSchemes = "SupportedUriSchemes"
  case supportedMimeTypes = "SupportedMimeTypes"

  func value(of player: MediaPlayerIdentity) -> BusValue {
    switch self {
    case .canQuit: .boolean(true)
    case .canRaise, .hasTrackList: .boolean(false)
    case .identity: .string(player.name)
    case .supportedUriSchemes: .strings(player.uriSchemes)
    case .supportedMimeTypes: .strings(player.mimeTypes)
    }
  }
}

/// The properties of the interface `org.mpris.MediaPlayer2.Player` (MPRIS 2.2).
enum PlayerProperty: String, CaseIterable {
  case playbackStatus = "PlaybackStatus"
  case loopStatus = "LoopStatus"
  case rate = "Rate"
  case metadata = "Metadata"
  case volume = "Volume"
  case position = "Position"
  case minimumRate = "MinimumRate"
  case maximumRate = "MaximumRate"
  case canGoNext = "CanGoNext"
  case canGoPrevious = "CanGoPrevious"
  case canPlay = "CanPlay"
  case canPause = "CanPause"
  case canSeek = "CanSeek"
  case canControl = "CanControl"

  /// Whether clients may set it.
  var isWritable: Bool {
    switch self {
    case .loopStatus, .rate, .volume: true
    default: false
    }
  }

  /// Whether `PropertiesChanged` announces it. A position advances by itself, and its jumps have a signal of their own.
  var isAnnounced: Bool {
    switch self {
    case .position, .canControl: false
    default: true
    }
  }

  func value(in state: NowPlaying) -> BusValue {
    switch self {
    case .playbackStatus: .string(state.status.rawValue)
    case .loopStatus: .string(state.loop.rawValue)
    case .rate, .minimumRate, .maximumRate: .double(1)
    case .metadata: .dictionary(state.track?.metadata ?? [])
    case .volume: .double(state.volume)
    case .position: .int64(microseconds(state.positionNanoseconds))
    case .canGoNext: .boolean(state.canGoNext)
    case .canGoPrevious: .boolean(state.canGoPrevious)
    case .canPlay, .canPause, .canControl: .boolean(true)
    case .canSeek: .boolean(state.canSeek)
    }
  }

  /// Returns the announced properties that differ.
  static func changes(from old: NowPlaying, to new: NowPlaying) -> [PlayerProperty] {
    allCases.filter { $0.isAnnounced && $0.value(in: old) != $0.value(in: new) }
  }
}

/// Converts to MPRIS's unit of time; any time that a stream states fits.
func microseconds(_ nanoseconds: UInt64) -> Int64 { Int64(nanoseconds / 1000) }

extension NowPlaying.Track {
  /// The track's object path on the bus. The specification reserves paths below `/org/mpris`.
  var objectPath: String { "/drawbar/track/\(index)" }

  /// The field names are those of "MPRIS v2 metadata guidelines".
  var metadata: [BusEntry] {
    var entries = [BusEntry(name: "mpris:trackid", value: .objectPath(objectPath))]
    if let durationNanoseconds {
      entries.append(
        BusEntry(name: "mpris:length", value: .int64(microseconds(durationNanoseconds))))
    }
    if let title { entries.append(BusEntry(name: "xesam:title", value: .string(title))) }
    if let artist { entries.append(BusEntry(name: "xesam:artist", value: .strings([artist]))) }
    if let album { entries.append(BusEntry(name: "xesam:album", value: .string(album))) }
    if let number {
      entries.append(BusEntry(name: "xesam:trackNumber", value: .int32(number)))
    }
    if let url { entries.append(BusEntry(name: "xesam:url", value: .string(url))) }
    return entries
  }
}
