// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import TestKit
import Testing

extension SyntheticMPEG4 {
  /// User data with an item list of these boxes.
  static func items(_ boxes: [UInt8]) -> [UInt8] {
    let handler = full("hdlr", bigEndian(0, 4) + [UInt8]("mdirappl".utf8) + bigEndian(0, 9))
    return box("udta", full("meta", handler + box("ilst", boxes)))
  }

  static func item(_ type: String, kind: Int = 1, _ value: [UInt8]) -> [UInt8] {
    box(type, box("data", bigEndian(kind, 4) + bigEndian(0, 4) + value))
  }

  static func gapless(_ text: String) -> [UInt8] {
    items(
      box(
        "----",
        full("mean", [UInt8]("com.apple.iTunes".utf8)) + full("name", [UInt8]("iTunSMPB".utf8))
          + box("data", bigEndian(1, 4) + bigEndian(0, 4) + [UInt8](text.utf8))))
  }
}

/// Tags of MPEG-4 files, compared with ffprobe's.
@Suite struct MPEG4TagTests {
  private static let words =
    "-metadata title='Tïtle' -metadata artist=Me -metadata album=Album -metadata date=2021-03-04 "
    + "-metadata track=3/12 -metadata disc=1/2 -metadata genre=Rock -metadata composer=Bach "
    + "-metadata comment='a remark' -metadata album_artist=All -metadata copyright=mine "
    + "-metadata lyrics=lala -metadata description=about -metadata compilation=1 "
    + "-metadata grouping=g -metadata show=s -metadata episode_id=e -metadata season_number=4 "
    + "-metadata gapless_playback=1 -metadata media_type=1"
  private static let smpb = "00000000 00000840 00000240 000000000007CA58"

  @Test(
    "Tags of each program have ffprobe's names and values",
    arguments: [
      "\(words) out.m4a", "\(words) out.mov", "\(words) -movflags +use_metadata_tags out.mov",
      "\(words) -movflags +use_metadata_tags out.mp4",
      "in.m4a && AtomicParsley in.m4a --title T --artist A --tracknum 3/9 --disk 2 --genre Jazz "
        + "--bpm 120 --compilation true --year 1999 --comment C --composer W --copyright R "
        + "--grouping G --lyrics L --stik Normal --advisory clean --TVShowName N --TVSeasonNum 2 "
        + "--podcastFlag true --sortOrder name S --encodingTool E -o out.m4a",
      "out.m4a && /usr/bin/python3 -c \"import mutagen.mp4 as m; f = m.MP4('out.m4a'); "
        + "f['\\xa9nam'] = 'x'; f['trkn'] = [(5, 0)]; f['tmpo'] = [99]; "
        + "f['----:com.apple.iTunes:ISRC'] = [m.MP4FreeForm(b'GBAAA0000001')]; "
        + "f['----:com.apple.iTunes:iTunSMPB'] = [m.MP4FreeForm(b'\(smpb)')]; f.save()\"",
    ])
  func programs(_ command: String) throws {
    let workshop = Workshop()
    let parts = command.split(separator: " ").map(String.init)
    let name = parts.last { $0.hasPrefix("out.") } ?? "out.m4a"
    let sound = "ffmpeg -v error -y -f lavfi -i sine=d=0.2 -c:a aac -movflags +faststart"
    try workshop.run("\(sound) \(command)")
    let file = command.contains("python3") ? "out.m4a" : name
    let bytes = try workshop.read(file)
    var stream = AudioFileStream(options: .repositioning)
    let (_, error, _) = parseFromAnywhere(bytes, sliceBytes: 1 << 20, with: &stream)
    #expect(error == nil)
    let info = try stream.infoDictionary
    var ours = Dictionary(uniqueKeysWithValues: info.entries.map { ($0.key.rawValue, $0.value) })
    // ffmpeg does not read the tempo.
    let tempo = ours.removeValue(forKey: "TBPM")
    if command.contains("bpm") { #expect(tempo == "120") }
    #expect(ours == (try ProbedFile(file, in: workshop).tags))
    #expect(ours.count >= 4)
  }

  @Test("Pictures are reported, and kept only if they are wanted and not too large")
  func pictures() throws {
    let picture = SyntheticMPEG4.bytes(3000, seed: 1)
    var file = SyntheticMPEG4()
    file.movieBoxes = SyntheticMPEG4.items(
      SyntheticMPEG4.box(
        "covr",
        SyntheticMPEG4.box("data", bigEndian(13, 4) + bigEndian(0, 4) + picture)
          + SyntheticMPEG4.box("data", bigEndian(14, 4) + bigEndian(0, 4) + [1, 2, 3])))
    for limit in [0, 3, 2999, 3000] {
      var options = AudioFileStreamOptions()
      options.pictureByteLimit = limit
      for slicing in [Slicing.whole, .pieces(7)] {
        var stream = AudioFileStream(options: options)
        _ = parse(file.bytes, slicing, with: &stream)
        let pictures = try stream.infoDictionary.pictures
        #expect(
          pictures
            == [
              AudioFilePicture(
                kind: 3, mediaType: "image/jpeg", byteCount: 3000,
                bytes: limit >= 3000 ? picture : []),
              AudioFilePicture(
                kind: 3, mediaType: "image/png", byteCount: 3, bytes: limit >= 3 ? [1, 2, 3] : []),
            ])
      }
    }
  }

  @Test("All values of an item are kept, in their order, and the first item of a key counts")
  func severalValues() throws {
    func data(_ text: String) -> [UInt8] {
      SyntheticMPEG4.box("data", bigEndian(1, 4) + bigEndian(0, 4) + [UInt8](text.utf8))
    }
    let name =
      SyntheticMPEG4.full("mean", [UInt8]("com.apple.iTunes".utf8))
      + SyntheticMPEG4.full("name", [UInt8]("LABEL".utf8))
    var file = SyntheticMPEG4()
    file.movieBoxes = SyntheticMPEG4.items(
      SyntheticMPEG4.box("\u{A9}ART", data("One") + data("") + data("Two") + data("Three"))
        + SyntheticMPEG4.box("\u{A9}ART", data("Four") + data("Five"))
        + SyntheticMPEG4.box("----", name + data("a") + data("b")))
    for slicing in [Slicing.whole, .pieces(3)] {
      var stream = AudioFileStream()
      _ = parse(file.bytes, slicing, with: &stream)
      let info = try stream.infoDictionary
      #expect(info[.artist] == "One;Two;Three")
      #expect(info[AudioTagKey(rawValue: "LABEL")] == "a;b")
    }
  }

  @Test("Both artists of one item are read from a file of a real program")
  func severalValuesOfAProgram() throws {
    let bytes = contents(ofFile: Fixtures.repository + "/Tests/Fixtures/art_multi_data.m4a")
    var stream = AudioFileStream(options: .repositioning)
    _ = parseFromAnywhere(bytes, sliceBytes: 5000, with: &stream)
    #expect(try stream.infoDictionary[.artist]?.contains(";") == true)
  }

  @Test("A picture's type comes from its own bytes, whatever the item's kind, wanted or not")
  func pictureTypes() throws {
    let pictures: [(String, [UInt8])] = [
      ("image/jpeg", [0xFF, 0xD8, 0xFF, 0xE0]),
      ("image/png", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
      ("image/gif", [UInt8]("GIF89a".utf8)),
      ("image/webp", [UInt8]("RIFF1234WEBP".utf8)),
      ("image/bmp", [UInt8]("BM1234\0\0\0\0".utf8)),
    ]
    for (mediaType, start) in pictures {
      for kind in [0, 1, 13, 14, 27] {
        let picture = start + [UInt8](repeating: 7, count: 100)
        var file = SyntheticMPEG4()
        file.movieBoxes = SyntheticMPEG4.items(SyntheticMPEG4.item("covr", kind: kind, picture))
        for limit in [0, 1000] {
          var options = AudioFileStreamOptions()
          options.pictureByteLimit = limit
          var stream = AudioFileStream(options: options)
          _ = parse(file.bytes, .pieces(5), with: &stream)
          #expect(
            try stream.infoDictionary.pictures == [
              AudioFilePicture(
                kind: 3, mediaType: mediaType, byteCount: picture.count,
                bytes: limit > 0 ? picture : [])
            ])
        }
      }
    }
  }

  @Test("Values of every kind become text")
  func kinds() {
    func value(_ type: String, kind: Int, _ bytes: [UInt8]) -> String? {
      var file = SyntheticMPEG4()
      file.movieBoxes = SyntheticMPEG4.items(SyntheticMPEG4.item(type, kind: kind, bytes))
      var stream = AudioFileStream()
      _ = parse(file.bytes, with: &stream)
      return (try? stream.infoDictionary)?.entries.first?.value
    }
    #expect(value("\u{A9}nam", kind: 1, [UInt8]("Größe".utf8)) == "Größe")
    #expect(value("\u{A9}nam", kind: 2, [0, 0x47, 0, 0xF6]) == "Gö")
    #expect(value("\u{A9}nam", kind: 3, [0x47, 0x9A]) == "Gö")
    #expect(value("\u{A9}nam", kind: 21, [0xFF, 0xFE]) == "-2")
    #expect(value("\u{A9}nam", kind: 22, [0xFF, 0xFE]) == "65534")
    #expect(value("\u{A9}nam", kind: 23, [0x3F, 0xC0, 0, 0]) == "1.500000")
    #expect(value("\u{A9}nam", kind: 13, [1, 2]) == nil)
    #expect(value("gnre", kind: 0, [0, 18]) == "Rock")
    #expect(value("trkn", kind: 0, [0, 0, 0, 3, 0, 12, 0, 0]) == "3/12")
    #expect(value("trkn", kind: 0, [0, 0, 0, 3, 0, 0, 0, 0]) == "3")
    #expect(value("disk", kind: 0, [0, 0, 0, 1, 0, 2]) == "1/2")
    #expect(value("tmpo", kind: 21, [0, 120]) == "120")
    #expect(value("cpil", kind: 21, [1]) == "1")
    #expect(value("\u{A9}lyr", kind: 1, [UInt8](repeating: 65, count: 70_000)) == nil)
  }

  @Test("QuickTime's texts are decoded as Mac Roman or UTF-8, by their language")
  func userData() {
    func title(_ language: Int, _ text: [UInt8]) -> String? {
      var file = SyntheticMPEG4()
      file.movieBoxes = SyntheticMPEG4.box(
        "udta",
        SyntheticMPEG4.box("\u{A9}nam", bigEndian(text.count, 2) + bigEndian(language, 2) + text)
          + [0, 0, 0, 0])
      var stream = AudioFileStream()
      let (recorder, error) = parse(file.bytes, with: &stream)
      #expect(error == nil && recorder.packetCount == 8)
      return (try? stream.infoDictionary)?[.title]
    }
    #expect(title(0, [0x47, 0x9A]) == "Gö")
    #expect(title(0x15C7, [UInt8]("Gö".utf8)) == "Gö")
  }
}
