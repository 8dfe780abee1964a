// SPDX-License-Identifier: MIT

import TestKit
import Testing

@testable import SessionManagement

@Suite("A session's state")
struct SessionStateTests {
  // Computed, not stored: LeakSanitizer does not find references in a large enumeration.
  static var play: SessionState {
    var track = SavedTrack(location: "http://user:secret@radio.example/a?b=\"c\"")
    (track.title, track.creator, track.album) = ("Zeile\n2 \\ \u{1F3B5}", "Band", nil)
    track.durationSeconds = 61.25
    return SessionState(
      arguments: ["--ports", "4", "a.mp3"], directory: "/music",
      content: .play(
        PlayState(
          playback: PlaybackState(
            tracks: [SavedTrack(location: "/music/a b\t\u{1}.mp3"), track], track: 1,
            positionSeconds: 12.345678, isPaused: true),
          volumePercent: 85, isMuted: false, repeats: .all)))
  }

  static var monitor: SessionState {
    SessionState(
      arguments: [], directory: "/",
      content: .monitor(
        MonitorState(
          gainDecibels: -3.5, isMuted: true, pan: -100, invertedInputs: [2], highPassHertz: 80,
          limitDecibels: nil, matrix: [[0, nil], [nil, -6.0206]],
          with: PlaybackState(
            tracks: [SavedTrack(location: "/a.mp3")], track: 0, positionSeconds: 0, isPaused: false)
        ))
    )
  }

  /// A state's text with a part replaced.
  private func changed(_ state: SessionState, _ part: String, _ other: String) -> [UInt8] {
    let text = String(decoding: state.fileBytes, as: UTF8.self)
    let pieces = text.split(separator: part, maxSplits: 1, omittingEmptySubsequences: false)
    #expect(pieces.count == 2, "\(part) is not in \(text)")
    return Array(pieces.joined(separator: other).utf8)
  }

  @Test("is unchanged after writing and reading", arguments: [play, monitor])
  func roundTrip(_ state: SessionState) throws {
    #expect(try SessionState(parsing: state.fileBytes) == state)
    #expect(try SessionState(parsing: state.fileBytes).fileBytes == state.fileBytes)
  }

  @Test("keeps only those track details from a list that can be read back")
  func listed() throws {
    let whole = SavedTrack(
      location: "/a.mp3", title: "Live", creator: "Band", album: "", durationSeconds: 1e9)
    #expect(
      [whole.title, whole.creator, whole.album] == ["Live", "Band", ""]
        && whole.durationSeconds == 1e9)
    let odd = SavedTrack(
      location: "/b.mp3", title: "a\0b\0", creator: "\0", album: nil, durationSeconds: 2e9)
    #expect([odd.title, odd.creator, odd.album] == ["ab", "", nil] && odd.durationSeconds == nil)
    var state = Self.play
    guard case .play(var play) = state.content else { return }
    play.playback.tracks = [whole, odd]
    state.content = .play(play)
    #expect(try SessionState(parsing: state.fileBytes) == state)
  }

  @Test("is written in one documented form")
  func form() {
    let text = String(decoding: Self.play.fileBytes, as: UTF8.self)
    #expect(
      text == """
        {
          "format": "drawbar session",
          "version": 1,
          "command": "play",
          "arguments": [
            "--ports",
            "4",
            "a.mp3"
          ],
          "directory": "/music",
          "tracks": [
            {"location": "/music/a b\\t\\u0001.mp3"},
            {"location": "http://user:secret@radio.example/a?b=\\"c\\"", "title": "Zeile\\n2 \\\\ 🎵", \
        "creator": "Band", "durationSeconds": 61.25}
          ],
          "track": 1,
          "positionSeconds": 12.345678,
          "paused": true,
          "volumePercent": 85,
          "muted": false,
          "repeat": "all"
        }

        """)
    let monitor = String(decoding: Self.monitor.fileBytes, as: UTF8.self)
    #expect(monitor.contains("\"matrix\": [\n    [0, null],\n    [null, -6.0206]\n  ]"))
    #expect(monitor.contains("\"limitDecibels\": null"))
    #expect(monitor.contains("\"with\": {\"tracks\": [{\"location\": \"/a.mp3\"}], \"track\": 0"))
  }

  @Test("may have unknown members, and any order and escapes")
  func unknownMembers() throws {
    let bytes = changed(
      Self.play, "\"version\": 1,", "\"later\": {\"a\": [1.5e3, -0]}, \"version\": 1,")
    #expect(try SessionState(parsing: bytes) == Self.play)
    let escaped = changed(Self.play, "🎵", "\\uD83C\\uDFB5")
    #expect(try SessionState(parsing: escaped) == Self.play)
  }

  @Test("of another program or a later version is refused with that reason")
  func foreign() {
    #expect(throws: SessionStateError.foreign) { try SessionState(parsing: Array("{}".utf8)) }
    #expect(throws: SessionStateError.foreign) { try SessionState(parsing: Array("[1]".utf8)) }
    #expect(throws: SessionStateError.foreign) {
      try SessionState(parsing: changed(Self.play, "drawbar session", "mixer session"))
    }
    #expect(throws: SessionStateError.unknownVersion(2)) {
      try SessionState(parsing: changed(Self.play, "\"version\": 1", "\"version\": 2"))
    }
  }

  @Test(
    "with an invalid member is refused with the member's name",
    arguments: [
      ("\"version\": 1", "\"version\": \"1\"", "version"),
      ("\"version\": 1", "\"version\": 0", "version"),
      ("\"play\"", "\"sing\"", "command"),
      ("\"--ports\"", "4", "arguments"),
      ("\"--ports\"", "\"\\u0000\"", "arguments"),
      ("\"/music\"", "null", "directory"),
      ("{\"location\": \"/music/a b", "7, {\"location\": \"/music/a b", "tracks"),
      ("\"location\": \"/music/a b\\t\\u0001.mp3\"", "\"location\": \"\"", "location"),
      ("\"location\": \"/music/a b\\t\\u0001.mp3\"", "", "location"),
      ("\"track\": 1", "\"track\": 2", "track"),
      ("\"track\": 1", "\"track\": 0.5", "track"),
      ("\"track\": 1", "\"track\": -1", "track"),
      ("12.345678", "-0.1", "positionSeconds"),
      ("12.345678", "1e300", "positionSeconds"),
      ("61.25", "\"1\"", "durationSeconds"),
      ("\"Band\"", "[]", "creator"),
      ("\"paused\": true", "\"paused\": 1", "paused"),
      ("\"volumePercent\": 85", "\"volumePercent\": 401", "volumePercent"),
      ("\"repeat\": \"all\"", "\"repeat\": \"some\"", "repeat"),
      ("\"muted\": false,\n", "", "muted"),
    ])
  func members(_ part: String, _ other: String, _ name: String) {
    #expect(throws: SessionStateError.member(name)) {
      try SessionState(parsing: changed(Self.play, part, other))
    }
  }

  @Test(
    "of a monitor may have no gain, matrix, input or corner that the command line would refuse",
    arguments: [
      ("-3.5", "41", "gainDecibels"), ("[0, null]", "[0]", "matrix"), ("[0, null]", "[]", "matrix"),
      ("[0, null]", "[0, \"a\"]", "matrix"), ("[0, null]", "[99, 0]", "matrix"),
      ("\"inverted\": [\n    2", "\"inverted\": [\n    3", "inverted"),
      ("\"highPassHertz\": 80", "\"highPassHertz\": 0", "highPassHertz"),
      ("\"limitDecibels\": null", "\"limitDecibels\": 1", "limitDecibels"),
      ("\"pan\": -100", "\"pan\": -101", "pan"),
      ("{\"tracks\": [{\"location\": \"/a.mp3\"}]", "{\"tracks\": []", "tracks"),
      ("\"with\": {", "\"with\": 7, \"other\": {", "with"),
    ])
  func monitorMembers(_ part: String, _ other: String, _ name: String) {
    #expect(throws: SessionStateError.member(name)) {
      try SessionState(parsing: changed(Self.monitor, part, other))
    }
  }

  @Test(
    "is not read from invalid JSON",
    arguments: [
      "", " ", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "[1,]", "[1 2]",
      "{a:1}", "tru", "nul", "+1", "01", "1.", "1e", "-", ".5", "1e999", "\"", "\"\\", "\"\\x\"",
      "\"\\u12\"", "\"\\u12G4\"", "\"\\uD800\"", "\"\\uD800\\u0041\"", "\"\\uDC00\"", "\"\n\"",
      "{} {}", "// no\n{}", "[[[[[[[[[[1]]]]]]]]]]",
    ])
  func notJSON(_ text: String) {
    #expect(throws: StateParser.Failure.self) { try StateParser.parse(Array(text.utf8)) }
  }

  @Test("cut off anywhere, or with any byte changed, is read or refused, and never traps")
  func damaged() {
    for state in [Self.play, Self.monitor] {
      let bytes = state.fileBytes
      // The last byte is a line feed, which may be missing.
      for count in 0..<bytes.count - 1 {
        #expect(throws: SessionStateError.self) {
          try SessionState(parsing: Array(bytes[..<count]))
        }
      }
      var generator = SplitMix(state: 7)
      for _ in 0..<5000 {
        var damaged = bytes
        damaged[Int(generator.next() % UInt64(bytes.count))] = UInt8(
          truncatingIfNeeded: generator.next())
        _ = try? SessionState(parsing: damaged)
      }
    }
  }

  @Test("equals, without track and position, a state that differs only in these")
  func withoutPosition() {
    var later = Self.play
    guard case .play(var play) = later.content else { return }
    (play.playback.track, play.playback.positionSeconds) = (0, 99)
    later.content = .play(play)
    #expect(later != Self.play && later.withoutPosition == Self.play.withoutPosition)
    play.volumePercent = 84
    later.content = .play(play)
    #expect(later.withoutPosition != Self.play.withoutPosition)
    #expect(Self.monitor.withoutPosition == Self.monitor)
  }
}
