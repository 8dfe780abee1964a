// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import TestKit
import Testing

/// Files that other programs tagged: the parser's tags equal ffprobe's.
@Suite struct TagOracleTests {
  private static let sound = "ffmpeg -v error -y -f lavfi -i sine=440:d=1 -ac 2 in.wav"
  private static let mutagen = "lame --quiet -b 64 in.wav out.mp3 && /usr/bin/python3 -c"

  /// ffprobe's tags of a file, with the names in lower case where ours are.
  private func ffprobe(_ workshop: Workshop, _ name: String) throws -> [String: String] {
    try workshop.run(
      "ffprobe -v error -show_entries format_tags -of json=compact=1 \(name) >tags.json && "
        + "/usr/bin/python3 -c \"import json; t = json.load(open('tags.json'))['format'].get('tags', {}); "
        + "open('tags', 'wb').write(b''.join((k + chr(1) + v + chr(2)).encode() "
        + "for k, v in t.items()))\"")
    var tags: [String: String] = [:]
    for entry in try workshop.read("tags").split(separator: 2) {
      let parts = entry.split(separator: 1, maxSplits: 1).map {
        String(decoding: $0, as: UTF8.self)
      }
      if parts.count == 2 { tags[parts[0]] = parts[1] }
    }
    return tags
  }

  private func parsed(_ workshop: Workshop, _ name: String) throws -> AudioFileInfo? {
    let bytes = try workshop.read(name)
    var stream = AudioFileStream()
    stream.tell(totalByteCount: Int64(bytes.count), tail: bytes.span)
    let (recorder, error) = parse(bytes, with: &stream)
    #expect(error == nil && recorder.skips == [])
    return try? stream.infoDictionary
  }

  @Test(
    "Tags of lame, ffmpeg and mutagen equal ffprobe's",
    arguments: [
      "lame --quiet --add-id3v2 --tt Title --ta Artist --tl Album --ty 2001 --tc Words --tn 3/9 "
        + "--tg Rock --tv TCOM=Composer --tv 'TXXX=Mood=calm' in.wav out.mp3",
      "lame --quiet --id3v2-only --id3v2-utf16 --tt 'Ünïcode ☃' --ta 'Kün' --tg 'Own kind' "
        + "in.wav out.mp3",
      "lame --quiet --id3v2-only --id3v2-latin1 --tt 'Café' --pad-id3v2-size 5000 in.wav out.mp3",
      "lame --quiet --id3v1-only --tt Title --ta Artist --ty 1999 --tc Words --tn 4 --tg 17 "
        + "in.wav out.mp3",
      "lame --quiet --id3v1-only --space-id3v1 --tt Title in.wav out.mp3",
      "ffmpeg -v error -i in.wav -id3v2_version 3 -metadata title=T -metadata artist='Ä☃' "
        + "-metadata date=2003-04-05 -metadata genre=Jazz -metadata track=2/3 -metadata comment=c "
        + "-metadata album_artist=aa -metadata composer=cc -metadata copyright=c2 -metadata own=x "
        + "-metadata disc=1 -metadata publisher=p -metadata language=eng out.mp3",
      "ffmpeg -v error -i in.wav -id3v2_version 4 -metadata title=T -metadata artist='Ä☃' "
        + "-metadata date=2003-04-05 -metadata encoded_by=e -metadata creation_time=now out.mp3",
      mutagen
        + " \"import mutagen.id3 as m; t = m.ID3(); t.add(m.TIT2(encoding=1, text='T☃')); "
        + "t.add(m.TPE1(encoding=3, text='A')); t.add(m.TDRC(encoding=0, text='2001-02-03 04:05')); "
        + "t.add(m.TCON(encoding=0, text='17')); t.add(m.COMM(encoding=1, lang='eng', desc='', "
        + "text='c☃')); t.add(m.COMM(encoding=0, lang='eng', desc='about', text='d')); "
        + "t.add(m.TXXX(encoding=2, desc='k☃', text='v☃')); t.add(m.TBPM(encoding=0, text='99')); "
        + "t.add(m.TSOP(encoding=0, text='s')); t.save('out.mp3', v1=2)\"",
      mutagen
        + " \"import mutagen.id3 as m; t = m.ID3(); t.add(m.TIT2(encoding=1, text='T☃')); "
        + "t.add(m.TDRC(encoding=0, text='2001-02-03 04:05')); t.add(m.TPE2(encoding=0, text='b')); "
        + "t.add(m.TCON(encoding=0, text='Rock')); t.update_to_v23(); "
        + "t.save('out.mp3', v2_version=3)\"",
    ])
  func tags(_ command: String) throws {
    let workshop = Workshop()
    try workshop.run("\(Self.sound) && \(command)")
    let expected = try ffprobe(workshop, "out.mp3")
    let info = try #require(try parsed(workshop, "out.mp3"))
    #expect(!expected.isEmpty)
    var found: [String: String] = [:]
    for entry in info.entries { found[entry.key.rawValue] = entry.value }
    for (key, value) in expected { #expect(found[key] == value, "\(key)") }
    // ffprobe refuses LAME's comment, whose empty description has no byte-order mark.
    #expect(found.keys.allSatisfy { expected[$0] != nil || $0 == "comment" })
  }

  @Test("Every numbered genre has the name that ffprobe prints")
  func genres() throws {
    let workshop = Workshop()
    let maker = SyntheticID3(version: 3)
    let frames = SyntheticFrame.stream(12)
    for number in [0, 17, 40, 59, 79, 84, 88, 115, 125, 129, 132, 134, 137, 146, 147, 191] {
      let bytes = maker.tag(maker.text("TCON", "(\(number))")) + frames
      try workshop.write(bytes, "g.mp3")
      #expect(try parsed(workshop, "g.mp3")?[.genre] == (try ffprobe(workshop, "g.mp3")["genre"]))
    }
  }

  @Test("Pictures embedded by mutagen and ffmpeg are read back", arguments: [3, 4])
  func pictures(_ version: Int) throws {
    let workshop = Workshop()
    try workshop.run(
      "\(Self.sound) && ffmpeg -v error -f lavfi -i testsrc=s=64x64:d=1 -frames:v 1 cover.png && "
        + "ffmpeg -v error -i in.wav -i cover.png -map 0 -map 1 -c:v copy -disposition:v "
        + "attached_pic -metadata:s:v comment='Cover (front)' -metadata:s:v title=Front "
        + "-id3v2_version \(version) out.mp3")
    let cover = try workshop.read("cover.png")
    let bytes = try workshop.read("out.mp3")
    var options = AudioFileStreamOptions()
    options.pictureByteLimit = 1 << 20
    var stream = AudioFileStream(options: options)
    _ = parse(bytes, .pieces(777), with: &stream)
    #expect(
      try stream.infoDictionary.pictures == [
        AudioFilePicture(
          kind: 3, mediaType: "image/png", text: "Front", byteCount: cover.count, bytes: cover)
      ])
  }

  @Test("An APE tag that mutagen wrote is read, with and without ID3v1 behind it")
  func ape() throws {
    let workshop = Workshop()
    for encoder in ["--id3v1-only --tt Old --tl More", "-t"] {
      try workshop.run(
        "\(Self.sound) && lame --quiet -b 64 \(encoder) in.wav out.mp3 && /usr/bin/python3 -c \"import "
          + "mutagen.apev2 as m; t = m.APEv2(); t['Title'] = 'T☃'; t['Artist'] = ['a', 'b']; "
          + "t['Year'] = '2001'; t['Cover Art (Front)'] = m.APEValue(b'c.jpg' + bytes(1) + b'xyz', "
          + "m.BINARY); t.save('out.mp3')\"")
      let info = try #require(try parsed(workshop, "out.mp3"))
      #expect(info[.title] == "T☃")
      #expect(info[.artist] == "a;b")
      #expect(info[.date] == "2001")
      #expect(info[.album] == (encoder == "-t" ? nil : "More"))
      #expect(info.pictures == [AudioFilePicture(kind: 3, mediaType: "image/jpeg", byteCount: 3)])
    }
  }
}
