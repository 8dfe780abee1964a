// SPDX-License-Identifier: MIT

import AudioModel
import Testing

@testable import PacketParser

/// ID3v2 tags of every version and with every flag, in front of some frames.
@Suite struct ID3v2Tests {
  static let frames = SyntheticFrame.stream(6)

  /// The info dictionary, which must not depend on the slicing.
  static func info(_ tag: [UInt8], pictureByteLimit: Int = 0) throws -> AudioFileInfo {
    var options = AudioFileStreamOptions()
    options.pictureByteLimit = pictureByteLimit
    var result: AudioFileInfo?
    for slicing in [
      Slicing.whole, .pieces(1), .pieces(7), .random(seed: 1), .splitAt(tag.count / 2),
    ] {
      var stream = AudioFileStream(options: options)
      let (recorder, error) = parse(tag + frames, slicing, with: &stream)
      #expect(error == nil)
      #expect(recorder.packetCount == 6)
      #expect(recorder.packetOffsets.first == Int64(tag.count))
      let info = (try? stream.infoDictionary) ?? AudioFileInfo()
      if let result { #expect(info == result, "\(slicing)") }
      result = info
    }
    return try #require(result)
  }

  static func text(_ info: AudioFileInfo) -> [String] {
    info.entries.map { "\($0.key.rawValue)=\($0.value)" }
  }

  @Test("Texts of versions 2.2, 2.3 and 2.4 have the same names")
  func versions() throws {
    let two = SyntheticID3(version: 2)
    let old = try Self.info(
      two.tag(
        two.text("TT2", "title"), two.text("TP1", "artist"), two.text("TAL", "album"),
        two.text("TRK", "3/9"), two.text("TCM", "composer"), two.text("TYE", "1998"),
        two.text("TCO", "(17)")))
    let expected = [
      "title=title", "artist=artist", "album=album", "track=3/9", "composer=composer",
      "genre=Rock", "date=1998",
    ]
    #expect(Self.text(old) == expected)
    for version in [3, 4] {
      let new = SyntheticID3(version: version)
      let info = try Self.info(
        new.tag(
          new.text("TIT2", "title"), new.text("TPE1", "artist"), new.text("TALB", "album"),
          new.text("TRCK", "3/9"), new.text("TCOM", "composer"), new.text("TCON", "(17)"),
          new.text(version == 3 ? "TYER" : "TDRC", "1998")))
      #expect(Self.text(info) == expected)
    }
  }

  @Test("All four encodings are read, with the byte order of each")
  func encodings() throws {
    let maker = SyntheticID3(version: 4)
    let little: [UInt8] = [1, 0xFF, 0xFE, 0xE9, 0, 0x3D, 0xD8, 0x0A, 0xDE]
    let big: [UInt8] = [1, 0xFE, 0xFF, 0, 0xE9, 0xD8, 0x3D, 0xDE, 0x0A, 0, 0]
    let info = try Self.info(
      maker.tag(
        maker.frame("TIT2", [0, 0x63, 0x61, 0x66, 0xE9]), maker.frame("TPE1", little),
        maker.frame("TPE2", big), maker.frame("TALB", [2, 0, 0xE9, 0xD8, 0x3D, 0xDE, 0x0A]),
        maker.frame("TCOM", [3] + "é😊".utf8 + [0])))
    #expect(
      Self.text(info) == [
        "title=café", "artist=é😊", "album_artist=é😊", "album=é😊", "composer=é😊",
      ])
  }

  @Test("Several values of a frame are joined, each with its own byte-order mark or the last one's")
  func severalValues() throws {
    let maker = SyntheticID3(version: 4)
    let units: [UInt8] = [1, 0xFE, 0xFF, 0, 0x41, 0, 0, 0, 0x42, 0, 0, 0xFF, 0xFE, 0x43, 0]
    let info = try Self.info(
      maker.tag(
        maker.frame("TPE1", [3] + "one\0two\0\0".utf8), maker.frame("TPE2", units),
        maker.frame("TCON", [3] + "17\u{0}Own\0(4)x".utf8)))
    #expect(Self.text(info) == ["artist=one;two", "album_artist=A;B;C", "genre=Rock;Own;Disco"])
  }

  @Test("Descriptions are keys; comments and lyrics have names of their own")
  func described() throws {
    let maker = SyntheticID3(version: 3)
    let info = try Self.info(
      maker.tag(
        maker.frame("TXXX", [0] + "Mood\0calm".utf8), maker.frame("TXXX", [0] + "\0bare".utf8),
        maker.frame("COMM", [0] + "eng".utf8 + "\0first".utf8),
        maker.frame("COMM", [0] + "deu".utf8 + "\0second".utf8),
        maker.frame("COMM", [1] + "eng".utf8 + [0xFF, 0xFE, 0x6B, 0, 0, 0, 0xFF, 0xFE, 0x76, 0]),
        maker.frame("USLT", [0] + "eng".utf8 + "part\0la la".utf8),
        maker.frame("COMM", [0] + "en".utf8), maker.frame("TXXX", [0])))
    #expect(
      Self.text(info) == ["Mood=calm", "TXXX=bare", "comment=first", "k=v", "lyrics=la la"])
  }

  @Test("The date is assembled from its parts")
  func dates() throws {
    let maker = SyntheticID3(version: 3)
    func date(_ frames: (String, String)...) throws -> String? {
      try Self.info(maker.tag(frames.flatMap { maker.text($0.0, $0.1) }))[.date]
    }
    #expect(try date(("TYER", "2004"), ("TDAT", "2512"), ("TIME", "1345")) == "2004-12-25 13:45")
    #expect(try date(("TIME", "1345"), ("TYER", "2004")) == "2004")
    #expect(try date(("TDAT", "2512"), ("TYER", "2004")) == "2004-12-25")
    #expect(try date(("TYER", "2004"), ("TDAT", "next")) == "2004")
    #expect(try date(("TDAT", "2512")) == nil)
  }

  @Test("Unsynchronisation is undone, in the whole tag or frame by frame", arguments: [2, 3, 4])
  func unsynchronisation(_ version: Int) throws {
    let maker = SyntheticID3(version: version, isUnsynchronised: true, padding: 40)
    let isOld = version == 2
    let latin: [UInt8] = [0, 0xFF, 0xFB, 0x41, 0xFF, 0, 0xFF]
    let info = try Self.info(
      maker.tag(
        maker.frame(isOld ? "TT2" : "TIT2", latin),
        maker.frame(isOld ? "TP1" : "TPE1", [1, 0xFF, 0xFE, 0x41, 0, 0xFF, 0]),
        maker.text(isOld ? "TAL" : "TALB", "last")))
    #expect(Self.text(info) == ["title=ÿûAÿ;ÿ", "artist=Aÿ", "album=last"])
  }

  @Test("An extended header is skipped")
  func extendedHeader() throws {
    var maker = SyntheticID3(version: 3)
    maker.extendedHeader = bigEndian(10, 4) + [0x80, 0, 0, 0, 0, 0, 1, 2, 3, 4]
    #expect(Self.text(try Self.info(maker.tag(maker.text("TIT2", "x")))) == ["title=x"])
    maker.version = 4
    maker.hasFooter = true
    maker.extendedHeader = SyntheticID3.synchsafe(12) + [1, 0x20, 5, 1, 2, 3, 4, 5]
    #expect(Self.text(try Self.info(maker.tag(maker.text("TIT2", "x")))) == ["title=x"])
  }

  @Test("Group and data length are skipped; encrypted frames and damaged zlib data are left out")
  func frameFlags() throws {
    let three = SyntheticID3(version: 3)
    let info = try Self.info(
      three.tag(
        three.frame("TIT2", [0, 0x61], flags: 0x20, prefix: [7]),
        three.frame("TPE1", [0, 0x61], flags: 0x80, prefix: [0, 0, 0, 2]),
        three.frame("TPE2", [0, 0x61], flags: 0x40, prefix: [7]), three.text("TALB", "b")))
    #expect(Self.text(info) == ["title=a", "album=b"])
    let four = SyntheticID3(version: 4)
    let newer = try Self.info(
      four.tag(
        four.frame("TIT2", [3, 0x61], flags: 0x41, prefix: [7, 0, 0, 0, 2]),
        four.frame("TPE1", [3, 0x61], flags: 0x08), four.frame("TPE2", [3, 0x61], flags: 0x04),
        four.text("TALB", "b"), four.frame("TCOM", [3], flags: 1)))
    #expect(Self.text(newer) == ["title=a", "album=b"])
  }

  @Test("A picture's type comes from its own bytes, unless it is a link")
  func pictureTypes() throws {
    let image = [0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 0x31, count: 9000)
    for version in [3, 4] {
      let maker = SyntheticID3(version: version)
      for (stated, found) in [("image/png", "image/jpeg"), ("", "image/jpeg"), ("-->", "-->")] {
        let frame = maker.frame("APIC", [0] + [UInt8](stated.utf8) + [0, 3, 0] + image)
        for limit in [0, 20_000] {
          let pictures = try Self.info(maker.tag(frame), pictureByteLimit: limit).pictures
          #expect(pictures.map(\.mediaType) == [found])
          #expect(pictures.map(\.byteCount) == [image.count])
        }
      }
    }
  }

  @Test("Plain sizes in version 2.4 are detected, also behind frames too large to hold")
  func plainSizes() throws {
    let maker = SyntheticID3(version: 4, hasPlainSizes: true, padding: 30)
    let long = String(repeating: "a long text ", count: 40)
    let image: [UInt8] = [0] + "image/png\0".utf8 + [3, 0]
    for size in [300, 70_000, 200_000] {
      let picture = maker.frame("APIC", image + [UInt8](repeating: 0x31, count: size))
      let info = try Self.info(
        maker.tag(picture, maker.text("TIT2", long), maker.text("TALB", "after")))
      #expect(Self.text(info) == ["title=\(long)", "album=after"])
      #expect(info.pictures.map(\.byteCount) == [size])
    }
    let proper = SyntheticID3(version: 4)
    for size in [300, 70_000, 200_000] {
      let picture = proper.frame("APIC", image + [UInt8](repeating: 0x31, count: size))
      let info = try Self.info(
        proper.tag(picture, proper.text("TIT2", long), proper.text("TALB", "after")))
      #expect(Self.text(info) == ["title=\(long)", "album=after"])
      #expect(info.pictures.map(\.byteCount) == [size])
    }
  }

  @Test("Frames that are too long, unknown, empty or broken are left out, and reading continues")
  func leftOut() throws {
    let maker = SyntheticID3(version: 3)
    let info = try Self.info(
      maker.tag(
        maker.text("TIT2", String(repeating: "x", count: 70_000)),
        maker.frame("PRIV", [UInt8](repeating: 0xFF, count: 90_000)),
        maker.frame("TPE1", []), maker.frame("TPE2", [9, 0x61]), maker.text("TALB", "after")))
    #expect(Self.text(info) == ["album=after"])
  }

  @Test("A frame that reaches beyond the tag ends it")
  func leadsOut() throws {
    let maker = SyntheticID3(version: 3)
    var tag = maker.tag(maker.text("TIT2", "in"), maker.text("TALB", "out"))
    tag[tag.count - 7] += 1
    #expect(Self.text(try Self.info(tag)) == ["title=in"])
  }

  @Test("Tags of versions that do not exist are skipped")
  func unknownVersions() throws {
    for version in [1, 5, 9] {
      let maker = SyntheticID3(version: version)
      #expect(Self.text(try Self.info(maker.tag(maker.text("TIT2", "x")))) == [])
    }
  }

  @Test("Pictures are always described, and kept if they are wanted and not too large")
  func pictures() throws {
    let data = (0..<5000).map { UInt8(truncatingIfNeeded: $0 % 7 == 0 ? 0xFF : $0) }
    for version in [2, 3, 4] {
      for isUnsynchronised in [false, true] {
        let maker = SyntheticID3(version: version, isUnsynchronised: isUnsynchronised)
        let header: [UInt8] =
          version == 2 ? [0] + "PNG".utf8 + [4] : [0] + "image/png\0".utf8 + [4]
        let id = version == 2 ? "PIC" : "APIC"
        let large = [UInt8](repeating: 0xFF, count: 90_000)
        let tag = maker.tag(
          maker.frame(id, header + "back\0".utf8 + data), maker.frame(id, header + [0] + large),
          maker.text(version == 2 ? "TT2" : "TIT2", "x"))
        for limit in [0, 4999, 5000, 20_000] {
          let info = try Self.info(tag, pictureByteLimit: limit)
          #expect(
            info.pictures == [
              AudioFilePicture(
                kind: 4, mediaType: "image/png", text: "back", byteCount: 5000,
                bytes: limit >= 5000 ? data : []),
              AudioFilePicture(kind: 4, mediaType: "image/png", byteCount: 90_000),
            ], "version \(version), \(isUnsynchronised), limit \(limit)")
          #expect(info[.title] == "x")
        }
      }
    }
  }

  @Test("A picture of 100 MB is skipped")
  func hugePicture() throws {
    let image: [UInt8] = [0] + "image/png\0".utf8 + [3, 0]
    let size = 100_000_000
    let frame = [UInt8]("APIC".utf8) + bigEndian(size + image.count, 4) + [0, 0] + image
    let header = [UInt8]("ID3".utf8) + [3, 0, 0] + SyntheticID3.synchsafe(frame.count + size)
    var stream = AudioFileStream()
    var recorder = Recorder()
    try stream.parse((header + frame).span, listener: &recorder)
    let slice = [UInt8](repeating: 0xFF, count: 1 << 20)
    var left = size
    while left > 0 {
      let count = min(left, slice.count)
      try stream.parse(slice.span.extracting(0..<count), listener: &recorder)
      left -= count
    }
    try stream.parse(Self.frames.span, listener: &recorder)
    try stream.finish(listener: &recorder)
    #expect(try stream.infoDictionary.pictures.map(\.byteCount) == [size])
    #expect(recorder.packetCount == 6)
  }

  @Test("The first of two tags in a row takes precedence; the second fills the gaps")
  func twoTags() throws {
    let maker = SyntheticID3(version: 3)
    let tags =
      maker.tag(maker.text("TIT2", "one"))
      + maker.tag(maker.text("TIT2", "2"), maker.text("TALB", "b"))
    #expect(Self.text(try Self.info(tags)) == ["title=one", "album=b"])
  }

  @Test("iTunes' gapless text supplies a packet table if there is no other")
  func gaplessText() throws {
    let maker = SyntheticID3(version: 3)
    let words = " 00000000 00000240 00000351 000000000000156F 00000000 00000000"
    let tag = maker.tag(maker.frame("COMM", [0] + "eng".utf8 + "iTunSMPB\0\(words)".utf8))
    var stream = AudioFileStream()
    let (recorder, _) = parse(tag + Self.frames, with: &stream)
    #expect(
      try stream.packetTableInfo
        == AudioFilePacketTableInfo(
          numberValidFrames: 0x156F, primingFrames: 0x240, remainderFrames: 0x351))
    #expect(recorder.properties.contains("pnfo"))
    for bad in ["", "0 1 2", "0 g 2 3", "0 FFFFFFFF 0 1", "0 1 2 FFFFFFFFFFFFFFFF", "0 -1 2 3"] {
      let tag = maker.tag(maker.frame("TXXX", [0] + "iTunSMPB\0\(bad)".utf8))
      var stream = AudioFileStream()
      _ = parse(tag + Self.frames, with: &stream)
      #expect((try? stream.packetTableInfo) == nil)
    }
  }
}
