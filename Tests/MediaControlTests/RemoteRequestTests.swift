// SPDX-License-Identifier: MIT

import Testing

@testable import MediaControl

@Suite("A request from the bus")
struct RemoteRequestTests {
  static let player = MediaPlayerIdentity(
    busName: "drawbar", name: "Drawbar", uriSchemes: ["file", "https"], mimeTypes: [])

  /// A state within a track, in the middle of a list.
  static var playing: NowPlaying {
    var state = NowPlaying()
    state.status = .playing
    state.track = NowPlaying.Track(index: 3)
    state.track?.durationNanoseconds = 60_000_000_000
    state.positionNanoseconds = 30_000_000_000
    (state.canGoNext, state.canGoPrevious, state.canSeek) = (true, true, true)
    return state
  }

  func command(_ request: RemoteRequest) throws(RequestRefusal) -> RemoteCommand? {
    try request.command(in: Self.playing, for: Self.player)
  }

  /// The command for a request in a state that differs in one field.
  func command<Value>(
    _ request: RemoteRequest, with field: WritableKeyPath<NowPlaying, Value>, _ value: Value
  ) throws(RequestRefusal) -> RemoteCommand? {
    var state = Self.playing
    state[keyPath: field] = value
    return try request.command(in: state, for: Self.player)
  }

  @Test("to play, pause, stop or toggle is no command if the state is already so")
  func status() throws {
    let expected: [(RemoteRequest, NowPlaying.Status, RemoteCommand?)] = [
      (.play, .playing, nil), (.play, .paused, .play), (.play, .stopped, .play),
      (.pause, .playing, .pause), (.pause, .paused, nil), (.pause, .stopped, nil),
      (.playPause, .playing, .pause), (.playPause, .paused, .play), (.playPause, .stopped, .play),
      (.stop, .playing, .stop), (.stop, .paused, .stop), (.stop, .stopped, nil),
      (.setRate(0), .playing, .pause), (.setRate(0), .paused, nil), (.setRate(2), .playing, nil),
    ]
    for (request, status, wanted) in expected {
      #expect(try command(request, with: \.status, status) == wanted, "\(request), \(status)")
    }
  }

  @Test("to go to another track is no command if there is none")
  func tracks() throws {
    #expect(try command(.next) == .next)
    #expect(try command(.previous) == .previous)
    #expect(try command(.next, with: \.canGoNext, false) == nil)
    #expect(try command(.previous, with: \.canGoPrevious, false) == nil)
  }

  @Test(
    "to seek before the start goes to the start, and behind the end to the next track")
  func seek() throws {
    let expected: [(Int64, RemoteCommand?)] = [
      (5_000_000, .seekBy(nanoseconds: 5_000_000_000)),
      (-5_000_000, .seekBy(nanoseconds: -5_000_000_000)),
      (0, .seekBy(nanoseconds: 0)),
      (-30_000_000, .seekBy(nanoseconds: -30_000_000_000)),
      (-30_000_001, .seekTo(nanoseconds: 0)),
      (.min, .seekTo(nanoseconds: 0)),
      (30_000_000, .seekBy(nanoseconds: 30_000_000_000)),
      (30_000_001, .next),
      (.max, .next),
    ]
    for (offset, wanted) in expected {
      #expect(try command(.seek(offsetMicroseconds: offset)) == wanted, "\(offset)")
    }
    #expect(try command(.seek(offsetMicroseconds: 40_000_000), with: \.canGoNext, false) == nil)
    #expect(try command(.seek(offsetMicroseconds: 1), with: \.canSeek, false) == nil)
    #expect(try command(.seek(offsetMicroseconds: 1), with: \.track, nil) == nil)
    // Without a known end, a seek cannot be behind it.
    #expect(
      try command(
        .seek(offsetMicroseconds: .max), with: \.track, NowPlaying.Track(index: 3))
        == .seekBy(nanoseconds: .max))
  }

  @Test("to set the position is no command outside the track, or for another track")
  func position() throws {
    func set(_ microseconds: Int64, track: String = "/drawbar/track/3") throws -> RemoteCommand? {
      try command(.setPosition(track: track, microseconds: microseconds))
    }
    #expect(try set(0) == .seekTo(nanoseconds: 0))
    #expect(try set(60_000_000) == .seekTo(nanoseconds: 60_000_000_000))
    for outside in [-1, .min, 60_000_001, .max] as [Int64] { #expect(try set(outside) == nil) }
    for other in ["/drawbar/track/2", "/", "/org/mpris/MediaPlayer2/TrackList/NoTrack"] {
      #expect(try set(0, track: other) == nil)
    }
    let request = RemoteRequest.setPosition(track: "/drawbar/track/3", microseconds: 1)
    #expect(try command(request, with: \.canSeek, false) == nil)
  }

  @Test("for a volume is clamped to the valid range, and refused if it is NaN")
  func volume() throws {
    let expected: [(Double, Double)] = [
      (0.5, 0.5), (0, 0), (-1, 0), (-.infinity, 0), (3, 3), (.infinity, .greatestFiniteMagnitude),
    ]
    for (asked, wanted) in expected {
      #expect(try command(.setVolume(asked)) == .setVolume(wanted), "\(asked)")
    }
    for request in [.setVolume(.nan), .setRate(.nan)] as [RemoteRequest] {
      #expect(throws: RequestRefusal.notANumber) { try command(request) }
    }
  }

  @Test("to loop is refused for unknown words")
  func loop() throws {
    #expect(try command(.setLoopStatus("Track")) == .setLoop(.track))
    #expect(try command(.setLoopStatus("None")) == nil)
    for word in ["track", "", "Shuffle"] {
      #expect(throws: RequestRefusal.unknownLoopStatus) { try command(.setLoopStatus(word)) }
    }
  }

  @Test("to open a URL is refused for unannounced schemes, paths and too long texts")
  func open() throws {
    for url in ["file:///a%20b.mp3", "HTTPS://radio.example/live"] {
      #expect(try command(.openURI(url)) == .open(url: url))
    }
    let longest = "file:///" + String(repeating: "a", count: 8192 - 8)
    #expect(try command(.openURI(longest)) == .open(url: longest))
    for url in ["", "-", "/etc/passwd", "ftp://a/b", "fil", ":", longest + "a"] {
      #expect(throws: RequestRefusal.unsupportedURI) { try command(.openURI(url)) }
    }
  }
}
