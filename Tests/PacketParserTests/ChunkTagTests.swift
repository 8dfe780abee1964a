// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import TestKit
import Testing

/// Tags in the chunks of WAVE, AIFF and NeXT/Sun files.
@Suite struct ChunkTagTests {
  private let samples = SyntheticWave.samples(400)

  private func info(_ recorder: Recorder) -> String { recorder.value(.infoDictionary) ?? "" }

  @Test("INFO statements have the names that ffprobe prints")
  func infoNames() throws {
    let ids = [
      "INAM", "IART", "IPRD", "ICRD", "IGNR", "ICMT", "ISFT", "ITRK", "ICOP", "ILNG", "ITCH",
      "ISMP", "IENG", "IKEY",
    ]
    let list = SyntheticInfo.list(ids.map { ($0, "about \($0)") })
    let bytes = SyntheticWave(before: [("LIST", list)]).bytes(frames: 100)
    let workshop = Workshop()
    try workshop.write(bytes, "in.wav")
    let printed = try workshop.probe("in.wav").filter { $0.key.hasPrefix("TAG:") }
    var stream = AudioFileStream()
    _ = parse(bytes, with: &stream)
    let entries = try stream.infoDictionary.entries
    #expect(entries.count == ids.count)
    for entry in entries {
      #expect(printed["TAG:\(entry.key.rawValue)"] == entry.value, "\(entry)")
    }
  }

  @Test("Statements before the audio are reported before ready, others when they are reached")
  func order() {
    let first = SyntheticInfo.list([("INAM", "First")])
    let last = SyntheticInfo.list([("INAM", "Second"), ("IART", "Last")])
    let wave = SyntheticWave(before: [("LIST", first)], after: [("LIST", last)])
    let bytes = wave.bytes(frames: 100)
    let (recorder, _) = parse(bytes)
    #expect(recorder.properties.suffix(3) == ["info", "redy", "info"])
    #expect(info(recorder).contains("First") && !info(recorder).contains("Last"))
    guard case .property(_, let told) = recorder.events.last else {
      Issue.record("nothing is told at the end")
      return
    }
    #expect(told.contains("First") && told.contains("Last") && !told.contains("Second"))
    for pieces in [1, 2, 3, 7] {
      #expect(outcome(bytes, .pieces(pieces)) == outcome(bytes, .whole))
    }
  }

  @Test("With the stream's end at hand, statements behind the audio are known before it")
  func tail() throws {
    for count in [60, 200, 100_000] {
      let wave = SyntheticWave(
        after: [("junk", garbage(31)), ("LIST", SyntheticInfo.list([("IART", "Last")]))])
      let bytes = wave.bytes(frames: 100)
      var stream = AudioFileStream()
      stream.tell(
        totalByteCount: Int64(bytes.count),
        tail: bytes.span.extracting(max(0, bytes.count - count)..<bytes.count))
      let (recorder, error) = parse(bytes, with: &stream)
      #expect(error == nil)
      #expect(recorder.properties.filter { $0 == "info" }.count == 1)
      // 60 bytes do not reach back to the chunk behind the audio.
      #expect((recorder.properties.last == "info") == (count == 60))
      #expect(info(recorder).contains("Last"))
    }
  }

  @Test("Lists with a wrong size, or that are cut, are read as far as they go")
  func liars() {
    let list = SyntheticInfo.list([("INAM", "Good")])
    let lies: [[UInt8]] = [
      list + [UInt8]("IART".utf8) + littleEndian(1000, 4) + [UInt8]("Cut".utf8),
      list + [UInt8]("IART".utf8) + littleEndian(0xFFFF_FFFF, 4) + [UInt8]("Cut".utf8),
      list + [UInt8]("I".utf8), list + littleEndian(0, 8), list,
    ]
    for lie in lies {
      let bytes = SyntheticWave(before: [("LIST", lie)]).bytes(frames: 100)
      let (recorder, error) = parse(bytes)
      #expect(error == nil)
      #expect(recorder.pcm == samples)
      #expect(info(recorder).contains("Good") && !info(recorder).contains("Cut"))
      #expect(outcome(bytes, .pieces(1)) == outcome(bytes, .whole))
    }
    let other = SyntheticWave(before: [("LIST", [UInt8]("adtl".utf8) + garbage(50))])
    #expect(parse(other.bytes(frames: 100)).recorder.value(.infoDictionary) == nil)
  }

  @Test("A text that is not UTF-8 is Latin 1")
  func latin1() {
    let text = SyntheticWave.chunk("INAM", [0x46, 0xFC, 0x72, 0])
    let wave = SyntheticWave(before: [("LIST", [UInt8]("INFO".utf8) + text)])
    #expect(info(parse(wave.bytes(frames: 1)).recorder).contains("Für"))
  }

  @Test("An ID3 tag in a chunk is read up to the end of the chunk at most")
  func id3() {
    for tag in [SyntheticTag.id3v2(20), Array(SyntheticTag.id3v2(500).prefix(60)), garbage(5)] {
      for after in [[("id3 ", tag)], [("LIST", garbage(8)), ("ID3 ", tag), ("junk", garbage(4))]] {
        let wave = SyntheticWave(before: [("id3 ", tag)], after: after)
        let bytes = wave.bytes(frames: 100)
        let (recorder, error) = parse(bytes)
        #expect(error == nil)
        #expect(recorder.pcm == samples)
        #expect(outcome(bytes, .pieces(1)) == outcome(bytes, .whole))
      }
    }
  }

  @Test("The text chunks of AIFF are title, artist, copyright and comment")
  func aiff() throws {
    var file = SyntheticAIFF()
    file.before = [
      ("NAME", [UInt8]("A name".utf8)), ("(c) ", [UInt8]("1999 Firm\0\0".utf8)),
      ("APPL", garbage(9)),
    ]
    file.after = [("AUTH", [UInt8]("Author".utf8)), ("ANNO", [UInt8]("Remark".utf8))]
    let bytes = file.bytes(packets: 100)
    let workshop = Workshop()
    try workshop.write(bytes, "in.aiff")
    let printed = try workshop.probe("in.aiff")
    for isTailKnown in [false, true] {
      var stream = AudioFileStream()
      if isTailKnown { stream.tell(totalByteCount: Int64(bytes.count), tail: bytes.span) }
      let (recorder, _) = parse(bytes, with: &stream)
      let info = try stream.infoDictionary
      #expect(info[.title] == printed["TAG:title"] && info[.title] == "A name")
      #expect(info[.copyright] == printed["TAG:copyright"])
      #expect(info[.artist] == printed["TAG:author"] && info[.artist] == "Author")
      #expect(info[.comment] == printed["TAG:comment"])
      #expect(recorder.properties.filter { $0 == "info" }.count == (isTailKnown ? 1 : 3))
    }
    #expect(outcome(bytes, .pieces(1)) == outcome(bytes, .whole))
  }

  @Test("ffmpeg's statements in a NeXT/Sun file are read, other remarks are not")
  func annotation() throws {
    let workshop = Workshop()
    try workshop.run(
      "\(MPEGAudioOracleTests.tone(22050, 1)) && ffmpeg -v error -y -i in.wav -metadata title='A = b' "
        + "-metadata artist=Somebody -metadata track=3 -metadata genre=G out.au && sox in.wav sox.au"
    )
    let printed = try workshop.probe("out.au")
    var stream = AudioFileStream()
    let bytes = try workshop.read("out.au")
    _ = parse(bytes, with: &stream)
    let info = try stream.infoDictionary
    for key in [AudioTagKey.title, .artist, .track, .genre] {
      #expect(info[key] == printed["TAG:\(key.rawValue)"] && info[key] != nil)
    }
    #expect(outcome(bytes, .pieces(1)) == outcome(bytes, .whole))
    #expect(parse(try workshop.read("sox.au")).recorder.value(.infoDictionary) == nil)
  }
}
