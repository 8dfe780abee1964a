// SPDX-License-Identifier: MIT

import Playlists
import Testing

@Suite("PLS")
struct PLSTests {
  /// The answer of a SHOUTcast server to `/listen.pls`.
  static let shoutcast = """
    [playlist]
    numberofentries=2
    File1=http://10.0.0.1:8000/
    Title1=(#1 - 12/100) Some Radio
    Length1=-1
    File2=http://10.0.0.2:8000/stream?x=a=b
    Title2=(#2 - 3/100) Some Radio
    Length2=-1
    Version=2
    """

  @Test(
    "is read alike with every kind of line end", arguments: ["\n", "\r\n", "\r", "\r\n\n"])
  func lineEnds(_ end: String) throws {
    let list = try parse(
      Self.shoutcast.split(separator: "\n").joined(separator: end), as: .pls,
      from: .web(url: "http://yp.example/listen.pls"))
    #expect(
      list.entries.map(\.place) == ["http://10.0.0.1:8000/", "http://10.0.0.2:8000/stream?x=a=b"])
    #expect(list.entries[1].title == "(#2 - 3/100) Some Radio")
    #expect(list.entries.allSatisfy { $0.durationNanoseconds == nil })
  }

  @Test("is ordered by its numbers, whatever their order, gaps, case and count")
  func order() throws {
    let list = try parse(
      """
      ; a comment
      [Playlist]
      NumberOfEntries=99
      LENGTH10=61
      title2 = Two
      file10 = c.mp3
      FILE2=b.mp3
      File0=a.mp3
      File2=again.mp3
      File=none.mp3
      FileX=none.mp3
      File-1=none.mp3
      File99999999999999999999=none.mp3
      File3=
      no equals sign
      """, as: .pls)
    #expect(list.entries.map(\.place) == ["/music/a.mp3", "/music/b.mp3", "/music/c.mp3"])
    #expect(list.entries.map(\.title) == [nil, "Two", nil])
    #expect(list.entries.map(\.durationNanoseconds) == [nil, nil, UInt64(61).seconds])
    #expect(list.entries.map(\.line) == [8, 7, 6])
  }

  @Test(
    "of version 1, without a version or its first line is read, other sections are not")
  func sections() throws {
    #expect(try parse("File1=a\nTitle1=A", as: .pls).entries.map(\.title) == ["A"])
    let list = try parse(
      "[other]\nFile1=x\n[playlist]\nFile2=a\n[more]\nFile3=y\nTitle2=no", as: .pls)
    #expect(list.entries.map(\.place) == ["/music/a"])
    #expect(list.entries[0].title == nil)
  }

  @Test("in Windows-1252, as Winamp wrote it, and with a byte-order mark")
  func encodings() throws {
    let latin = Array("[playlist]\nFile1=caf".utf8) + [0xE9] + Array(".mp3\n".utf8)
    #expect(try parse(latin, as: .pls).entries[0].place == "/music/café.mp3")
    let marked = [0xEF, 0xBB, 0xBF] + Array("[playlist]\nFile1=café.mp3".utf8)
    #expect(try parse(marked, as: .pls).entries[0].place == "/music/café.mp3")
  }

  @Test("with too many files is refused")
  func limit() {
    var limits = Playlist.Limits()
    limits.entries = 1
    #expect(throws: PlaylistError(.tooManyEntries(limit: 1), line: 3)) {
      try parse(Array("[playlist]\nFile1=a\nFile7=b".utf8), as: .pls, limits: limits)
    }
  }
}
