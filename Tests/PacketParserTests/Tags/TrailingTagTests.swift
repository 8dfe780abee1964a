// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import Testing

/// Tags of other kinds, and tags behind the audio, read from the tail in advance or at the end.
@Suite struct TrailingTagTests {
  static let frames = SyntheticFrame.stream(8)

  private func text(_ stream: borrowing AudioFileStream) -> [String] {
    let entries = (try? stream.infoDictionary.entries) ?? []
    return entries.map { "\($0.key.rawValue)=\($0.value)" }
  }

  /// The tags read with a known tail, and without; both runs must deliver exactly all frames.
  private func infos(
    front: [UInt8] = [], _ back: [UInt8]
  ) throws -> (ahead: [String], passing: [String]) {
    let bytes = front + Self.frames + back
    var results: [[String]] = []
    for isTold in [true, false] {
      for slicing in [Slicing.whole, .pieces(1), .random(seed: 3)] {
        var stream = AudioFileStream()
        if isTold { stream.tell(totalByteCount: Int64(bytes.count), tail: bytes.span) }
        var recorder = Recorder()
        let head = front.count + 1500
        try stream.parse(bytes.span.extracting(0..<head), listener: &recorder)
        if isTold {
          #expect(try stream.audioDataByteCount == Int64(Self.frames.count))
          results.append(text(stream))
        }
        let (rest, error) = parse(Array(bytes[head...]), slicing, with: &stream)
        #expect(error == nil)
        #expect(rest.skips == [])
        #expect(recorder.packetCount + rest.packetCount == 8)
        if !isTold { results.append(text(stream)) }
        #expect(rest.properties == (isTold || back.isEmpty ? [] : rest.properties))
      }
    }
    #expect(results[0] == results[1] && results[1] == results[2])
    #expect(results[3] == results[4] && results[4] == results[5])
    return (results[0], results[3])
  }

  @Test("ID3v1 is read, with the track and genre of version 1.1, filled with zeros or spaces")
  func id3v1() throws {
    for fill in [UInt8(0), 0x20] {
      let tag = SyntheticID3.version1(
        title: "café", artist: "me", album: "it", year: "1999", comment: "so", track: 7, genre: 17,
        fill: fill)
      let (ahead, passing) = try infos(tag)
      #expect(
        ahead == [
          "title=café", "artist=me", "album=it", "date=1999", "comment=so", "track=7", "genre=Rock",
        ])
      #expect(passing == ahead)
    }
    let bare = try infos(
      SyntheticID3.version1(title: "x", comment: String(repeating: "c", count: 30)))
    #expect(bare.ahead == ["title=x", "comment=" + String(repeating: "c", count: 30)])
  }

  @Test("A title that begins with a plus is not an enhanced tag")
  func plusTitle() throws {
    let tags = SyntheticID3.version1(title: "+44") + SyntheticID3.ape(["Album": "a"])
    let (ahead, passing) = try infos(tags)
    #expect(passing == ["title=+44", "album=a"])
    #expect(ahead == ["album=a", "title=+44"])
  }

  @Test("APE tags are read behind the audio, before it, and without a header")
  func ape() throws {
    let items = SyntheticID3.ape([
      "Title": "t", "Year": "2001", "Album Artist": "x\0y", "MY KEY": "v", "title": "second",
    ])
    let expected = ["title=t", "date=2001", "album_artist=x;y", "MY KEY=v"]
    let (ahead, passing) = try infos(items)
    #expect(ahead == expected && passing == expected)
    #expect(try infos(front: items, []).passing == expected)
    let first = SyntheticID3.ape(
      [(key: "Title", value: [0x74], flags: 0)], version: 1000, hasHeader: false)
    let bytes = Self.frames + first
    var stream = AudioFileStream()
    stream.tell(totalByteCount: Int64(bytes.count), tail: bytes.span)
    let recorder = parse(bytes, with: &stream).recorder
    #expect(text(stream) == ["title=t"])
    #expect(recorder.skips == [] && recorder.packetCount == 8)
  }

  @Test("An APE tag with a header is recognised whole, whatever its size", arguments: 0..<140)
  func apeSizes(_ contentBytes: Int) throws {
    // At 67 bytes the header's own letters lie where an ID3v1 tag would begin.
    let tag = SyntheticTag.apeV2(contentBytes)
    _ = try infos(tag)
    _ = try infos(tag + SyntheticID3.version1(title: "x"))
  }

  @Test("ID3v2 takes precedence over APE, APE over ID3v1, and lower ones fill the gaps")
  func precedence() throws {
    let maker = SyntheticID3(version: 3)
    let front = maker.tag(maker.text("TIT2", "v2"))
    let ape = SyntheticID3.ape(["Title": "ape", "Artist": "ape"])
    let old = SyntheticID3.version1(title: "v1", artist: "v1", album: "v1")
    let expected = ["title=v2", "artist=ape", "album=v1"]
    let (ahead, passing) = try infos(front: front, ape + old)
    #expect(ahead == expected && passing == expected)
    let reversed = try infos(front: front, old + ape)
    #expect(reversed.ahead == expected)
    var footed = SyntheticID3(version: 4)
    footed.hasFooter = true
    let appended = try infos(ape + footed.tag(footed.text("TIT2", "end")) + old)
    #expect(appended.ahead == ["title=end", "artist=ape", "album=v1"])
  }

  @Test("Tags read in advance are not reported again; tags in passing are reported once each")
  func told() throws {
    let bytes =
      Self.frames + SyntheticID3.ape(["Title": "t"]) + SyntheticID3.version1(title: "u", album: "a")
    let passing = parse(bytes).recorder
    #expect(passing.properties.filter { $0 == "info" }.count == 2)
    #expect(passing.properties.firstIndex(of: "info")! > passing.properties.firstIndex(of: "redy")!)
    var stream = AudioFileStream()
    stream.tell(totalByteCount: Int64(bytes.count), tail: bytes.span)
    let ahead = parse(bytes, with: &stream).recorder
    #expect(ahead.properties.filter { $0 == "info" }.count == 1)
    #expect(ahead.properties.firstIndex(of: "info")! < ahead.properties.firstIndex(of: "redy")!)
  }

  @Test("A cover in an APE tag is described, and kept if it is wanted")
  func apeCover() throws {
    let data = (0..<3000).map { UInt8(truncatingIfNeeded: $0) }
    // A PNG image whose name ends in .jpg.
    let image: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    let tag = SyntheticID3.ape([
      (key: "Cover Art (Front)", value: "front.jpg\0".utf8 + data, flags: 2),
      (key: "Cover Art (Back)", value: "b.jpg\0".utf8 + image, flags: 2),
      (key: "Other", value: [0, 1], flags: 2), (key: "Title", value: [0x74], flags: 0),
    ])
    for limit in [0, 2999, 3000] {
      for isTold in [false, true] {
        var options = AudioFileStreamOptions()
        options.pictureByteLimit = limit
        var stream = AudioFileStream(options: options)
        let bytes = Self.frames + tag
        if isTold { stream.tell(totalByteCount: Int64(bytes.count), tail: bytes.span) }
        _ = parse(bytes, .pieces(100), with: &stream)
        let info = try stream.infoDictionary
        #expect(
          info.pictures == [
            AudioFilePicture(
              kind: 3, mediaType: "image/jpeg", byteCount: 3000, bytes: limit >= 3000 ? data : []),
            AudioFilePicture(
              kind: 4, mediaType: "image/png", byteCount: 8, bytes: limit >= 8 ? image : []),
          ])
        #expect(info[.title] == "t")
      }
    }
  }

  @Test("A tag larger than the tail is read as it passes")
  func largerThanTail() throws {
    let cover = [UInt8](repeating: 7, count: 200_000)
    let tag = SyntheticID3.ape([
      (key: "Title", value: [0x74], flags: 0),
      (key: "Cover Art (Front)", value: [0] + cover, flags: 2),
    ])
    let bytes = Self.frames + tag + SyntheticID3.version1(title: "old", album: "a")
    var stream = AudioFileStream()
    stream.tell(
      totalByteCount: Int64(bytes.count),
      tail: bytes.span.extracting(bytes.count - 1000..<bytes.count))
    let recorder = parse(bytes, with: &stream).recorder
    #expect(recorder.value(.audioDataByteCount) == "\(Self.frames.count)")
    #expect(text(stream) == ["title=old", "album=a"])
    #expect(try stream.infoDictionary.pictures.map(\.byteCount) == [200_000])
    #expect(recorder.packetCount == 8 && recorder.skips == [])
  }
}
