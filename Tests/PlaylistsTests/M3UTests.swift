// SPDX-License-Identifier: MIT

import Playlists
import Testing

@Suite("M3U")
struct M3UTests {
  /// A list as saved by Winamp and foobar2000 in the music's folder: Windows paths without a drive.
  static let winamp = """
    #EXTM3U
    #EXTINF:185,Some Artist - First Song
    Album\\01 First Song.mp3
    #EXTINF:-1,Some Radio
    http://radio.example:8000/live
    """

  @Test(
    "is read alike with every kind of line end, with or without a last one",
    arguments: ["\n", "\r\n", "\r", "\n\n", "\r\n\r\n"], ["", "\n", "\r", "\r\n", "\n\r"])
  func lineEnds(_ end: String, _ last: String) throws {
    let text = Self.winamp.split(separator: "\n").joined(separator: end) + last
    let list = try parse(text, as: .m3u)
    #expect(
      list.entries.map(\.written) == ["Album\\01 First Song.mp3", "http://radio.example:8000/live"])
    #expect(list.entries.map(\.title) == ["Some Artist - First Song", "Some Radio"])
    #expect(list.entries.map(\.durationNanoseconds) == [UInt64(185).seconds, nil])
    #expect(
      list.entries[0].target
        == .success(
          .file(
            path: "/music/Album\\01 First Song.mp3",
            alternatives: ["/music/Album/01 First Song.mp3"])))
    #expect(list.entries[1].target == .success(.web(url: "http://radio.example:8000/live")))
  }

  @Test("without tags has one location on each line, as mpc and find write it")
  func plain() throws {
    let list = try parse("/srv/a.flac\n\n  b.ogg \t\n./c d.mp3\n../e.mp3\n", as: .m3u)
    #expect(
      list.entries.map(\.place) == [
        "/srv/a.flac", "/music/b.ogg", "/music/./c d.mp3", "/music/../e.mp3",
      ])
    #expect(list.entries.map(\.line) == [1, 3, 4, 5])
    #expect(list.title == nil && list.entries.allSatisfy { $0.title == nil })
  }

  @Test("as VLC writes it has percent-encoded paths, which are decoded if no such file exists")
  func percent() throws {
    let list = try parse(
      "#EXTM3U\n#EXTINF:12,One\nfile:///music/My%20Song%20%231.mp3\nMy%20Song.mp3\n100%.mp3\n",
      as: .m3u8)
    #expect(list.entries[0].place == "/music/My Song #1.mp3")
    #expect(
      list.entries[1].target
        == .success(.file(path: "/music/My%20Song.mp3", alternatives: ["/music/My Song.mp3"])))
    #expect(list.entries[2].target == .success(.file(path: "/music/100%.mp3")))
  }

  @Test("has a title, and attributes whose commas do not start the title")
  func attributes() throws {
    let list = try parse(
      """
      #EXTM3U x-tvg-url="a,b"
      #PLAYLIST: Evening
      #EXTINF:-1 tvg-id="x" group-title="News, talk",Radio, the one
      http://a.example/1
      #EXTINF:7.5 , Half
      #EXTVLCOPT:network-caching=1000
      #EXTGRP:x
      b.mp3
      #EXTINF:5 a="no end, Five
      c.mp3
      #EXTINF:9
      d.mp3
      e.mp3
      """, as: .m3u8)
    #expect(list.title == "Evening")
    #expect(list.entries.map(\.title) == ["Radio, the one", "Half", "Five", nil, nil])
    #expect(
      list.entries.map(\.durationNanoseconds) == [
        nil, 7_500_000_000, UInt64(5).seconds, UInt64(9).seconds, nil,
      ])
  }

  @Test("is UTF-8 if all of it is valid, else Windows-1252; a byte-order mark is skipped")
  func encodings() throws {
    #expect(try parse("Ä – é.mp3", as: .m3u).entries[0].written == "Ä – é.mp3")
    let windows: [UInt8] = [0xC4, 0x20, 0x96, 0x20, 0xE9] + Array(".mp3".utf8)
    #expect(try parse(windows, as: .m3u).entries[0].written == "Ä – é.mp3")
    for kind in [Playlist.Kind.m3u, .m3u8] {
      let list = try parse([0xEF, 0xBB, 0xBF] + Array("#EXTM3U\nä.mp3".utf8), as: kind)
      #expect(list.entries.map(\.written) == ["ä.mp3"])
    }
    let error = #expect(throws: PlaylistError.self) {
      try parse(Array("a.mp3\nb\n".utf8) + windows, as: .m3u8)
    }
    #expect(error == PlaylistError(.invalidUTF8(byteOffset: 8), line: 3))
    #expect(throws: PlaylistError(.unsupportedEncoding("UTF-16"), line: 1)) {
      try parse([0xFF, 0xFE, 0x61, 0], as: .m3u)
    }
  }

  @Test(
    "that is an HLS stream is refused as such",
    arguments: [
      "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nlow.m3u8",
      "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:9,\na.ts",
      "#EXTM3U\r\n#EXT-X-MEDIA-SEQUENCE:7\r\na.ts", "#EXTM3U\n#ext-x-version:3",
    ])
  func httpLiveStreaming(_ text: String) throws {
    for kind in [Playlist.Kind.m3u, .m3u8] {
      let error = #expect(throws: PlaylistError.self) { try parse(text, as: kind) }
      guard case .httpLiveStreaming(let tag) = error?.reason else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(tag.lowercased().hasPrefix("#ext-x-") && !tag.contains(":"))
      #expect(error?.line == 2)
      #expect(error?.description.contains("HLS") == true)
    }
  }

  @Test("has impossible durations left out")
  func durations() throws {
    let cases: [(String, UInt64?)] = [
      ("0", nil), ("-1", nil), ("", nil), ("x", nil), ("1", 1_000_000_000), ("+2", 2_000_000_000),
      ("18446744073", 18_446_744_073_000_000_000), ("18446744074", nil),
      ("18446744073.9", nil), ("99999999999999999999999999", nil), ("0.000000001", 1),
      ("0.0000000009", nil), ("1.23456789012345", 1_234_567_890), ("3.", 3_000_000_000),
    ]
    for (text, nanoseconds) in cases {
      let list = try parse("#EXTINF:\(text),t\na", as: .m3u)
      #expect(list.entries[0].durationNanoseconds == nanoseconds, "\(text)")
    }
  }

  @Test("has limits of entries and bytes, and reports which one is exceeded")
  func limits() throws {
    var limits = Playlist.Limits()
    limits.entries = 3
    #expect(try parse(Array("a\nb\nc\n#d\n".utf8), as: .m3u, limits: limits).entries.count == 3)
    #expect(throws: PlaylistError(.tooManyEntries(limit: 3), line: 5)) {
      try parse(Array("a\nb\nc\n#\nd".utf8), as: .m3u, limits: limits)
    }
    limits.bytes = 4
    #expect(throws: PlaylistError(.tooManyBytes(limit: 4))) {
      try parse(Array("a\nb\nc".utf8), as: .m3u, limits: limits)
    }
  }
}
