// SPDX-License-Identifier: MIT

import Testing

@testable import Playlists

@Suite("A list's entry")
struct ResolutionTests {
  /// The examples of RFC 3986, sections 5.4.1 and 5.4.2, with the strict result for the last one.
  static let examples: [(String, String)] = [
    ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
    ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"),
    ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"),
    ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"),
    ("g;x?y#s", "http://a/b/c/g;x?y#s"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"),
    ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"),
    ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
    ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"),
    ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."),
    (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"),
    ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"),
    ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
    ("g;x=1/../y", "http://a/b/c/y"), ("g?y/./x", "http://a/b/c/g?y/./x"),
    ("g?y/../x", "http://a/b/c/g?y/../x"), ("g#s/./x", "http://a/b/c/g#s/./x"),
    ("g#s/../x", "http://a/b/c/g#s/../x"), ("http:g", "http:g"),
  ]

  @Test("is resolved as in the examples of RFC 3986", arguments: examples)
  func standard(_ reference: String, _ target: String) {
    let base = URIReference("http://a/b/c/d;p?q")
    #expect(URIReference(reference).resolved(against: base).text == target)
  }

  @Test("every text is unchanged after splitting and joining")
  func roundTrip() {
    for (text, _) in Self.examples + [
      ("http://u:p@[::1]:8/x?y#z", ""), ("//a//b", ""), ("a?#", ""),
    ] {
      #expect(URIReference(text).text == text)
    }
  }

  static func target(
    _ text: String, in origin: PlaylistOrigin, as kind: Playlist.Kind = .m3u
  ) throws -> PlaylistEntry {
    try parse(
      kind == .xspf
        ? "<playlist><trackList><track><location>\(text)</location></track></trackList></playlist>"
        : kind == .pls ? "[playlist]\nFile1=\(text)" : text,
      as: kind, from: origin
    ).entries[0]
  }

  static let files = [
    "file:///etc/passwd", "FILE:///etc/passwd", "file:/etc/passwd", "file://localhost/etc/passwd",
    "file:etc/passwd", "file:", "fIlE://host/x", "C:\\secret.mp3", "c:/secret.mp3",
    "\\\\nas\\x.mp3",
  ]

  @Test("of a list from a server never leads to a file", arguments: files, Playlist.Kind.allCases)
  func refusedFiles(_ text: String, _ kind: Playlist.Kind) throws {
    for url in ["http://h.example/l", "https://u:p@h.example/a/b/l?x"] {
      let error = try Self.target(text, in: .web(url: url), as: kind).error
      #expect(error == .localFile || error == .windowsPath, "\(text)")
    }
  }

  @Test(
    "of a list from a server stays on the server if it is relative, however many .. it has",
    arguments: Playlist.Kind.allCases)
  func remote(_ kind: Playlist.Kind) throws {
    let cases = [
      ("/etc/passwd", "http://h.example:8/etc/passwd"),
      ("../../../../etc/passwd", "http://h.example:8/etc/passwd"),
      ("-", "http://h.example:8/lists/-"), ("a b.mp3", "http://h.example:8/lists/a b.mp3"),
      ("../a.mp3?x=1", "http://h.example:8/a.mp3?x=1"),
      ("./file.mp3", "http://h.example:8/lists/file.mp3"),
      ("%2e%2e/x", "http://h.example:8/lists/%2e%2e/x"),
      ("//other.example/x", "http://other.example/x"), ("HTTPS://Other/x", "https://Other/x"),
    ]
    for (text, url) in cases {
      let target = try Self.target(
        text, in: .web(url: "http://h.example:8/lists/l.m3u?a=/b/c"), as: kind
      ).target
      #expect(target == .success(.web(url: url)), "\(text)")
    }
  }

  @Test("of a server's list with xml:base never leads to a file, either")
  func remoteBase() throws {
    let list = try parse(
      """
      <playlist xml:base="file:///etc/"><trackList><track><location>passwd</location></track>
      <track xml:base="x/"><location>passwd</location></track>
      <track><location>http://ok.example/a</location></track>
      <track xml:base="http://ok.example/"><location>b</location></track></trackList></playlist>
      """, as: .xspf, from: .web(url: "http://h.example/l.xspf"))
    #expect(list.entries.map(\.error) == [.localFile, .localFile, nil, nil])
    #expect(
      list.entries.map(\.place) == [nil, nil, "http://ok.example/a", "http://ok.example/b"])
  }

  @Test("backslashes of a server's M3U are slashes; those of a URI are not")
  func backslashes() throws {
    let origin = PlaylistOrigin.web(url: "http://h.example/x/l")
    #expect(try Self.target("a\\b.mp3", in: origin).place == "http://h.example/x/a/b.mp3")
    #expect(
      try Self.target("a\\b.mp3", in: origin, as: .xspf).place == "http://h.example/x/a\\b.mp3")
  }

  @Test("that cannot be used is refused with the reason")
  func errors() throws {
    let web = PlaylistOrigin.web(url: "http://h.example/l")
    let file = PlaylistOrigin.file(path: "/music/l.m3u")
    for origin in [web, file] {
      #expect(try Self.target("rtsp://x/y", in: origin).error == .unsupportedScheme("rtsp"))
      #expect(try Self.target("http:///x", in: origin).error == .malformed)
      #expect(try Self.target("http://u:p@/x", in: origin).error == .malformed)
      #expect(try Self.target("C:\\Music\\x.mp3", in: origin).error == .windowsPath)
    }
    #expect(try Self.target("http:x", in: web).error == .malformed)
    #expect(try Self.target("data:x", in: web).error == .unsupportedScheme("data"))
    #expect(try Self.target("a\u{1}b", in: web).error == .malformed)
    #expect(try Self.target("file://nas/x", in: file).error == .malformed)
    #expect(try Self.target("file:///a%00b", in: file).error == .malformed)
    #expect(try Self.target("file:///C:/x.mp3", in: file).error == .windowsPath)
    #expect(try parse([0x61, 0, 0x62], as: .m3u, from: file).entries[0].error == .malformed)
    for error: PlaylistEntryError in [
      .localFile, .windowsPath, .unsupportedScheme("x"), .malformed, .noLocation,
    ] {
      #expect(!error.description.isEmpty && !error.description.contains("\n"))
    }
  }

  @Test("of a local list is never standard input or a URL by accident")
  func localNames() throws {
    let cases = [
      ("-", "./-"), ("a:b.mp3", "./a:b.mp3"), ("x.mp3", "x.mp3"), ("../x", "../x"),
      ("Artist: Song.mp3", "./Artist: Song.mp3"), ("./-", "./-"), ("http:x", "./http:x"),
    ]
    for origin in ["", "l.m3u"] {
      for (text, path) in cases {
        #expect(try Self.target(text, in: .file(path: origin)).place == path)
      }
    }
    #expect(try Self.target("-", in: .file(path: "sub/l.m3u")).place == "sub/-")
    #expect(try Self.target("-", in: .file(path: ""), as: .xspf).place == "./-")
    #expect(try Self.target("%2D", in: .file(path: ""), as: .xspf).place == "./-")
    // A relative location in a list is not a URL, even if the list's own name looks like one.
    #expect(try Self.target("x", in: .file(path: "http:/l.m3u")).place == "./http:/x")
  }

  @Test("an origin is the user's location, or its redirect's target")
  func origins() {
    #expect(PlaylistOrigin(location: "-") == .file(path: ""))
    #expect(PlaylistOrigin(location: "a/l.m3u") == .file(path: "a/l.m3u"))
    #expect(PlaylistOrigin(location: "file:///a%20b/l.m3u") == .file(path: "/a b/l.m3u"))
    #expect(PlaylistOrigin(location: "C:\\l.m3u") == .file(path: "C:\\l.m3u"))
    let web = PlaylistOrigin(location: "http://u:p@H.example:8/a/l.m3u")
    #expect(web == .web(url: "http://u:p@H.example:8/a/l.m3u"))
    #expect(PlaylistOrigin(location: "HTTP:///x") == .web(url: "HTTP:///x"))
    // The password is kept for the same scheme, host and port only.
    #expect(
      web.redirected(to: "http://h.example:8/b/l") == .web(url: "http://u:p@H.example:8/b/l"))
    for other in ["https://h.example:8/l", "http://h.example/l", "http://x.example:8/l"] {
      #expect(web.redirected(to: other) == .web(url: other))
    }
  }
}
