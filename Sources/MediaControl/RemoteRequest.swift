// SPDX-License-Identifier: MIT

/// A method call or a property's new value, as it came from the bus. sd-bus has checked its types; the values may be
/// anything.
enum RemoteRequest: Equatable {
  case quit
  case next, previous, pause, playPause, stop, play
  case seek(offsetMicroseconds: Int64)
  case setPosition(track: String, microseconds: Int64)
  case openURI(String)
  case setLoopStatus(String)
  case setRate(Double)
  case setVolume(Double)

  /// The methods of the interface `org.mpris.MediaPlayer2.Player` without arguments, by their names.
  static let plainMethods: [String: RemoteRequest] = [
    "Next": .next, "Previous": .previous, "Pause": .pause, "PlayPause": .playPause, "Stop": .stop,
    "Play": .play,
  ]

  /// Returns the command that MPRIS 2.2 requires for this request in this state; nil if none.
  ///
  /// - Throws: ``RequestRefusal`` if the caller must get an error.
  func command(
    in state: NowPlaying, for player: MediaPlayerIdentity
  ) throws(RequestRefusal) -> RemoteCommand? {
    switch self {
    case .quit: return .quit
    case .next: return state.canGoNext ? .next : nil
    case .previous: return state.canGoPrevious ? .previous : nil
    case .pause: return state.status == .playing ? .pause : nil
    case .play: return state.status == .playing ? nil : .play
    case .playPause: return state.status == .playing ? .pause : .play
    case .stop: return state.status == .stopped ? nil : .stop
    case .seek(let offset): return Self.seek(byMicroseconds: offset, in: state)
    case .setPosition(let track, let microseconds):
      // A stale request: the track has changed since.
      guard state.canSeek, state.track?.objectPath == track else { return nil }
      guard let place = UInt64(exactly: microseconds)?.nanoseconds else { return nil }
      guard place <= state.track?.durationNanoseconds ?? .max else { return nil }
      return .seekTo(nanoseconds: place)
    case .openURI(let uri):
      guard uri.utf8.count <= Self.longestURI, let colon = uri.firstIndex(of: ":"),
        player.uriSchemes.contains(uri[..<colon].lowercased())
      else { throw .unsupportedURI }
      return .open(url: uri)
    case .setLoopStatus(let name):
      guard let loop = NowPlaying.Loop(rawValue: name) else { throw .unknownLoopStatus }
      return loop == state.loop ? nil : .setLoop(loop)
    case .setRate(let rate):
      // A rate of 0 means a pause; rates outside the offered range may be ignored.
      guard !rate.isNaN else { throw .notANumber }
      return rate == 0 ? try RemoteRequest.pause.command(in: state, for: player) : nil
    case .setVolume(let volume):
      guard !volume.isNaN else { throw .notANumber }
      // A negative volume means silence.
      return .setVolume(min(max(volume, 0), .greatestFiniteMagnitude))
    }
  }

  /// The longest accepted URI: HTTP servers take 8,000 bytes (RFC 9110, section 4.1).
  private static let longestURI = 8192

  private static func seek(byMicroseconds offset: Int64, in state: NowPlaying) -> RemoteCommand? {
    guard state.canSeek, state.track != nil else { return nil }
    let (product, isTooLarge) = offset.multipliedReportingOverflow(by: 1000)
    let nanoseconds = isTooLarge ? (offset < 0 ? -.max : .max) : product
    if nanoseconds < 0 {
      return nanoseconds.magnitude > state.positionNanoseconds
        ? .seekTo(nanoseconds: 0) : .seekBy(nanoseconds: nanoseconds)
    }
    let (place, isBeyondAll) = state.positionNanoseconds.addingReportingOverflow(
      nanoseconds.magnitude)
    if let duration = state.track?.durationNanoseconds, isBeyondAll || place > duration {
      // A seek beyond the end counts as Next.
      return state.canGoNext ? .next : nil
    }
    return .seekBy(nanoseconds: nanoseconds)
  }
}

/// The error that answers a request.
enum RequestRefusal: Error {
  case unsupportedURI
  case unknownLoopStatus
  case notANumber

  /// The error's name on the bus.
  var name: String {
    switch self {
    case .unsupportedURI: "org.freedesktop.DBus.Error.NotSupported"
    case .unknownLoopStatus, .notANumber: "org.freedesktop.DBus.Error.InvalidArgs"
    }
  }

  /// The message for the caller.
  var message: String {
    switch self {
    case .unsupportedURI:
      "Not a URI of one of the SupportedUriSchemes, or longer than 8192 bytes"
    case .unknownLoopStatus: "LoopStatus must be None, Track or Playlist"
    case .notANumber: "Not a number"
    }
  }
}

extension UInt64 {
  /// This many microseconds in nanoseconds; nil on overflow.
  fileprivate var nanoseconds: UInt64? {
    let (product, isTooLarge) = multipliedReportingOverflow(by: 1000)
    return isTooLarge ? nil : product
  }
}
