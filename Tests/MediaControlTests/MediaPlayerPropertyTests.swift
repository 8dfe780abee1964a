// SPDX-License-Identifier: MIT

import Testing

@testable import MediaControl

@Suite("A player's properties")
struct MediaPlayerPropertyTests {
  @Test("are reported if they differ, but never the position")
  func changes() {
    var old = RemoteRequestTests.playing
    var new = old
    #expect(PlayerProperty.changes(from: old, to: new) == [])
    new.positionNanoseconds += 1_000_000_000
    #expect(PlayerProperty.changes(from: old, to: new) == [])
    new.status = .paused
    new.volume = 0.5
    #expect(PlayerProperty.changes(from: old, to: new) == [.playbackStatus, .volume])
    old = new
    new.track?.title = "Another"
    new.canSeek = false
    #expect(PlayerProperty.changes(from: old, to: new) == [.metadata, .canSeek])
  }

  @Test("have times in microseconds, and leave out unknown values")
  func metadata() {
    var track = NowPlaying.Track(index: 7)
    #expect(
      track.metadata == [BusEntry(name: "mpris:trackid", value: .objectPath("/drawbar/track/7"))])
    track.durationNanoseconds = 12_345_678_999
    #expect(track.metadata.last == BusEntry(name: "mpris:length", value: .int64(12_345_678)))
    track.number = 3
    #expect(track.metadata.last == BusEntry(name: "xesam:trackNumber", value: .int32(3)))
    #expect(PlayerProperty.metadata.value(in: NowPlaying()) == .dictionary([]))
  }

  @Test("have texts without characters that the bus refuses")
  func texts() {
    let none = [0, 0xFFFE, 0xFDD0, 0x10FFFF].compactMap { Unicode.Scalar($0 as UInt32) }
    let text = none.map { "\($0)" }.joined(separator: "é😀")
    #expect(text.asBusString == "\\u{0}é😀\\u{fffe}é😀\\u{fdd0}é😀\\u{10ffff}")
    #expect(String(repeating: "x", count: 5000).asBusString.count == 4096)
    #expect("a\u{1B}\u{85}\u{202E}b".asBusString == "a\\u{1b}\\u{85}\\u{202e}b")
  }
}
