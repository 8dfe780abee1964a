// SPDX-License-Identifier: MIT

import Playlists
import Testing

@Suite("XSPF")
struct XSPFTests {
  /// A list as VLC writes it.
  static let vlc = """
    <?xml version="1.0" encoding="UTF-8"?>
    <playlist xmlns="http://xspf.org/ns/0/" xmlns:vlc="http://www.videolan.org/vlc/playlist/ns/0/" version="1">
    \t<title>Playlist</title>
    \t<trackList>
    \t\t<track>
    \t\t\t<location>file:///home/u/Music/A%20%26%20B.mp3</location>
    \t\t\t<title>A &amp; B</title>
    \t\t\t<creator>Some &lt;Artist&gt;</creator>
    \t\t\t<album>First</album>
    \t\t\t<trackNum>1</trackNum>
    \t\t\t<duration>185123</duration>
    \t\t\t<extension application="http://www.videolan.org/vlc/playlist/0">
    \t\t\t\t<vlc:id>0</vlc:id>
    \t\t\t\t<vlc:option>network-caching=1000</vlc:option>
    \t\t\t\t<title>not this</title>
    \t\t\t</extension>
    \t\t</track>
    \t</trackList>
    \t<extension application="http://www.videolan.org/vlc/playlist/0">
    \t\t<vlc:item tid="0"/>
    \t</extension>
    </playlist>
    """

  @Test("is read as VLC writes it", arguments: ["\n", "\r\n", "\r"])
  func vlc(_ end: String) throws {
    let list = try parse(Self.vlc.split(separator: "\n").joined(separator: end), as: .xspf)
    #expect(list.title == "Playlist")
    #expect(list.entries.count == 1)
    let entry = list.entries[0]
    #expect(entry.written == "file:///home/u/Music/A%20%26%20B.mp3")
    #expect(entry.place == "/home/u/Music/A & B.mp3")
    #expect(entry.title == "A & B" && entry.creator == "Some <Artist>" && entry.album == "First")
    #expect(entry.durationNanoseconds == 185_123_000_000)
    #expect(entry.line == 6)
  }

  @Test("may have prefixes, CDATA, comments, references and a document type by name")
  func syntax() throws {
    let list = try parse(
      """
      <?xml version='1.0'?>
      <!-- made by hand -->
      <!DOCTYPE playlist PUBLIC "a>b" 'c'>
      <x:playlist xmlns:x = 'http://xspf.org/ns/0/' version="1" >
      <x:title>A<!-- -- no -->B<![CDATA[<&amp;>]]>C&#x41;&#66;&quot;&apos;</x:title>
      <x:trackList><x:track><?go on?><x:location>
        sub/<![CDATA[a]]>&#x2E;mp3
      </x:location></x:track>
      <x:track><x:title/><x:location/></x:track></x:trackList>
      </x:playlist>
      <!-- end -->
      """, as: .xspf)
    #expect(list.title == "AB<&amp;>CAB\"'")
    #expect(list.entries.map(\.place) == ["/music/sub/a.mp3", nil])
    #expect(list.entries[1].error == .noLocation && list.entries[1].title == nil)
  }

  @Test("is decoded by its declared encoding")
  func encodings() throws {
    func document(_ encoding: String, _ location: [UInt8]) -> [UInt8] {
      Array(
        "<?xml version=\"1.0\" encoding=\(encoding)?><playlist><trackList><track><location>".utf8)
        + location + Array("</location></track></trackList></playlist>".utf8)
    }
    let utf8 = Array("é.mp3".utf8)
    let latin1 = [0xE9] + Array(".mp3".utf8)
    for name in ["\"UTF-8\"", "'utf-8'", "\"US-ASCII\""] {
      #expect(try parse(document(name, utf8), as: .xspf).entries[0].place == "/music/é.mp3")
    }
    for name in ["\"ISO-8859-1\"", "'latin1'", "\"windows-1252\""] {
      #expect(try parse(document(name, latin1), as: .xspf).entries[0].place == "/music/é.mp3")
    }
    #expect(throws: PlaylistError(.invalidUTF8(byteOffset: 76), line: 1)) {
      try parse(document("\"UTF-8\"", latin1), as: .xspf)
    }
    #expect(throws: PlaylistError(.unsupportedEncoding("KOI8-R"), line: 1)) {
      try parse(document("\"koi8-r\"", latin1), as: .xspf)
    }
    #expect(throws: PlaylistError(.unsupportedEncoding("UTF-16"), line: 1)) {
      try parse([0xFE, 0xFF, 0, 0x3C], as: .xspf)
    }
  }

  @Test("relative locations are URIs in the folder, or under the xml:base around them")
  func bases() throws {
    let list = try parse(
      """
      <playlist xml:base="sub/"><trackList>
      <track><location>a%20b.mp3</location></track>
      <track xml:base="http://h.example/x/y"><location>../c.mp3</location></track>
      <track xml:base="deeper/x"><location xml:base="inner/">d.mp3</location></track>
      <track><location>/e%23.mp3</location></track>
      <track xml:base="file:///other/"><location>f?.mp3</location></track>
      <track xml:base="ftp://h.example/"><location>g.mp3</location></track>
      </trackList></playlist>
      """, as: .xspf)
    #expect(
      list.entries.map(\.place) == [
        "/music/sub/a b.mp3", "http://h.example/c.mp3", "/music/sub/deeper/inner/d.mp3", "/e#.mp3",
        "/other/f", nil,
      ])
    #expect(list.entries[5].error == .unsupportedScheme("ftp"))
    // An unencoded question mark, which should have been encoded, is found as an alternative.
    #expect(
      list.entries[4].target
        == .success(.file(path: "/other/f", alternatives: ["/other/f?.mp3"])))
  }

  @Test("of several locations, the first valid one counts")
  func locations() throws {
    let list = try parse(
      """
      <playlist><trackList><track><location>ftp://a/</location>
      <location>b.mp3</location><location>c.mp3</location><duration>x</duration></track>
      <track><location>C:\\a.mp3</location><location>mms://b/</location></track>
      </trackList></playlist>
      """, as: .xspf)
    #expect(list.entries.map(\.written) == ["b.mp3", "C:\\a.mp3"])
    #expect(list.entries.map(\.line) == [2, 3])
    #expect(list.entries[1].error == .windowsPath)
  }

  @Test(
    "that is not well-formed is refused with the position",
    arguments: [
      "", "<", "<playlist", "<playlist>", "<playlist><a></playlist>", "<playlist></playlis>",
      "<playlist/><playlist/>", "<playlist/>x", "x<playlist/>", "<playlist a></playlist>",
      "<playlist a=b/>", "<playlist a=\"b/>", "<playlist a=\"<\"/>", "<playlist>&amp</playlist>",
      "<playlist>&#0;</playlist>", "<playlist>&#xD800;</playlist>", "<playlist>&#;</playlist>",
      "<playlist>&#x110000;</playlist>", "<playlist>&#99999999999999999999;</playlist>",
      "<playlist><!-- x</playlist>", "<playlist><![CDATA[x</playlist>", "<?xml <playlist/>",
      "<!DOCTYPE playlist", "<playlist><!DOCTYPE x></playlist>", "<![CDATA[x]]>", "</playlist>",
      "<playlist/ >", "<playlist a=\"1\"b=\"2\"/>", "<playlist>&#+5;</playlist>",
    ])
  func malformed(_ text: String) {
    let error = #expect(throws: PlaylistError.self) { try parse(text, as: .xspf) }
    guard case .malformedXML(let what, let offset) = error?.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(!what.isEmpty && (0...text.utf8.count).contains(offset) && error?.line == 1)
  }

  @Test("of another kind, with declared entities, or nested without end is refused by name")
  func refusals() {
    #expect(throws: PlaylistError(.foreignRoot("rss"), line: 2)) {
      try parse("<?xml version='1.0'?>\n<rss></rss>", as: .xspf)
    }
    #expect(throws: PlaylistError(.unknownEntity("nbsp"), line: 1)) {
      try parse("<playlist><title>&nbsp;</title></playlist>", as: .xspf)
    }
    #expect(throws: PlaylistError(.documentType, line: 2)) {
      try parse(
        """
        <?xml version="1.0"?>
        <!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
        <playlist><title>&b;</title></playlist>
        """, as: .xspf)
    }
    #expect(throws: PlaylistError(.tooDeep(limit: 64), line: 1)) {
      try parse("<playlist>" + String(repeating: "<a>", count: 1_000_000), as: .xspf)
    }
    var limits = Playlist.Limits()
    limits.entries = 2
    #expect(throws: PlaylistError(.tooManyEntries(limit: 2), line: 1)) {
      let tracks = String(repeating: "<track/>", count: 3)
      _ = try parse(
        Array("<playlist><trackList>\(tracks)</trackList></playlist>".utf8), as: .xspf,
        limits: limits)
    }
  }
}
