// SPDX-License-Identifier: MIT

import Playlists
import Testing

@Suite("A hostile list")
struct HostileListTests {
  struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> 33 | state << 31
    }
  }

  /// Pieces for random lists, which are difficult for parsers.
  static let pieces: [String] = [
    "<playlist>", "</playlist>", "<trackList>", "</trackList>", "<track>", "</track>", "<location>",
    "</location>", "<title", ">", "/>", "\"", "'", "&amp;", "&#x41;", "&", ";", "<![CDATA[", "]]>",
    "<!--", "-->", "<?xml", "?>", "<!DOCTYPE", "[", "]", " xml:base=\"http://a/b\"", "=", "\n",
    "\r",
    "#EXTM3U", "#EXTINF:", "-1", "99999999999999999999", ",", "[playlist]", "File1=", "Title1=",
    "Length1=", "http://", "file:///", "..", "/", "\\", "C:\\", "%", "%41", "%00", "?", "#", ":",
    "ä", "a", "-", "@", "\u{FEFF}", "\0",
  ]

  @Test(
    "of random bytes or pieces is read or refused, with a bounded result", arguments: 0..<400)
  func random(_ seed: Int) {
    var random = Random(state: UInt64(seed))
    var bytes: [UInt8] = []
    for _ in 0..<Int.random(in: 0..<120, using: &random) {
      if seed % 4 == 0 {
        bytes.append(UInt8.random(in: 0...255, using: &random))
      } else {
        bytes += Array(Self.pieces.randomElement(using: &random)!.utf8)
      }
    }
    for kind in Playlist.Kind.allCases {
      for origin in [PlaylistOrigin.file(path: "/m/l"), .web(url: "http://h/x/l")] {
        guard let list = try? parse(bytes, as: kind, from: origin) else { continue }
        #expect(list.entries.count <= bytes.count)
        guard case .web = origin else { continue }
        for case .success(.file(let path, _)) in list.entries.map(\.target) {
          Issue.record("a server's list led to \(path)")
        }
      }
    }
    _ = Playlist.kind(ofFirstBytes: bytes.span)
  }

  @Test("that is cut anywhere is read or refused")
  func cuts() {
    for (text, kind) in [
      (XSPFTests.vlc, Playlist.Kind.xspf), (M3UTests.winamp, .m3u), (PLSTests.shoutcast, .pls),
    ] {
      let bytes = Array(text.utf8)
      for count in 0..<bytes.count {
        let list = try? parse(Array(bytes[..<count]), as: kind)
        // Cut XML has no end tag and is refused; a list of lines may end anywhere.
        #expect((list == nil) == (kind == .xspf), "\(count)")
      }
    }
  }

  /// The most expensive lists, so long that any worse than proportional cost takes minutes.
  @Test(
    "of great length is read in a time proportional to its length",
    arguments: [
      "a/", "../", "#", "\n", " ", "%41", "\\", "\"", "File1=a\n", "a\r", "<a b='c'/>", "&lt;",
      "<!---->", "]]", "x:", "<",
    ])
  func length(_ piece: String) {
    let body = String(repeating: piece, count: 40_000 / piece.utf8.count)
    let time = ContinuousClock().measure {
      for origin in [PlaylistOrigin.file(path: "/m/l"), .web(url: "http://h/x/l")] {
        _ = try? parse(body, as: .m3u, from: origin)
        _ = try? parse("File1=" + body, as: .pls, from: origin)
        _ = try? parse("<playlist><title>\(body)</title></playlist>", as: .xspf, from: origin)
        let start = "<playlist><trackList><track><location>"
        let end = "</location></track></trackList></playlist>"
        _ = try? parse(start + body + end, as: .xspf, from: origin)
      }
    }
    #expect(time < .seconds(30))
  }
}
