// SPDX-License-Identifier: MIT

import Playlists
import Testing

@Suite("A list is recognised")
struct RecognitionTests {
  static func kind(_ bytes: [UInt8], _ expected: Playlist.Kind?) -> Playlist.Kind? {
    let first = Array(bytes.prefix(Playlist.recognitionBytes))
    return Playlist.kind(ofFirstBytes: first.span, expected: expected)
  }

  @Test("by its first bytes, also behind a byte-order mark and white space")
  func signatures() {
    let cases: [(String, Playlist.Kind?)] = [
      ("#EXTM3U\n", .m3u), ("#extm3u", .m3u), ("#EXTM3U8", .m3u), ("[playlist]\n", .pls),
      ("[Playlist]", .pls), (XSPFTests.vlc, .xspf), ("<playlist version='1'>", .xspf),
      ("<!-- x --><x:playlist>", .xspf), ("<asx version='3'>", nil), ("<html>", nil),
      ("<playlist", nil), ("http://a/b.mp3\n", nil), ("", nil), ("ID3", nil), ("#EXTINF:1,a", nil),
    ]
    for (text, kind) in cases {
      for start in [[], [0xEF, 0xBB, 0xBF], Array("\r\n\t ".utf8)] as [[UInt8]] {
        let bytes = start + Array(text.utf8)
        let found = Playlist.kind(ofFirstBytes: bytes.span)
        #expect(found == kind && Self.kind(bytes, nil) == kind, "\(text)")
      }
    }
  }

  @Test("by its content type, with or without parameters, in any letter case")
  func contentTypes() {
    let cases: [(String, Playlist.Kind?)] = [
      ("audio/x-mpegurl", .m3u), ("audio/mpegurl", .m3u), ("Audio/X-MPEGURL; charset=utf-8", .m3u),
      ("application/vnd.apple.mpegurl", .m3u8), ("application/x-mpegURL", .m3u),
      ("audio/x-scpls", .pls), ("audio/x-scpls;charset=x", .pls), ("application/xspf+xml", .xspf),
      ("audio/mpeg", nil), ("text/plain", nil), ("", nil),
    ]
    for (type, kind) in cases { #expect(Playlist.kind(ofContentType: type) == kind, "\(type)") }
  }

  @Test("by its name, without a URL's query")
  func names() {
    let cases: [(String, Playlist.Kind?)] = [
      ("a.m3u", .m3u), ("A.M3U8", .m3u8), ("/x.y/a.pls", .pls), ("b.xspf", .xspf),
      ("http://h/a.m3u?x=1#y", .m3u), ("http://h/a?x=.m3u", nil), ("a.m3u.mp3", nil), ("m3u", nil),
      ("song#1.m3u", .m3u), ("http://h.pls", nil), ("a.m3u/b", nil), ("-", nil), ("", nil),
    ]
    for (name, kind) in cases { #expect(Playlist.kind(ofName: name) == kind, "\(name)") }
  }

  @Test("by its content rather than its name, if it can be a list at all")
  func contradictions() {
    #expect(Self.kind(Array("[playlist]".utf8), .m3u) == .pls)
    #expect(Self.kind(Array("#EXTM3U".utf8), .pls) == .m3u)
    #expect(Self.kind(Array("#EXTM3U".utf8), .m3u8) == .m3u8)
    #expect(Self.kind(Array("a.mp3\r\nb.mp3".utf8), .m3u) == .m3u)
    #expect(Self.kind(Array("a.mp3".utf8), nil) == nil)
    #expect(Self.kind(Array("<!DOCTYPE html><html>".utf8), .m3u) == nil)
    #expect(Self.kind(Array("<rss/>".utf8), .xspf) == .xspf)
    #expect(Self.kind(Array("plain".utf8), .xspf) == nil)
    #expect(Self.kind([0x49, 0x44, 0x33, 4, 0, 0], .m3u) == nil)
    #expect(Self.kind([0xFF, 0xFB, 0x90, 0x00], .pls) == nil)
    #expect(Self.kind([0xFF, 0xFE, 0x61, 0], .m3u) == .m3u)
    #expect(Self.kind([], .m3u) == nil)
  }
}
