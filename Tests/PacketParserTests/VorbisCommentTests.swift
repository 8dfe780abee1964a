// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import TestKit
import Testing

/// Vorbis comments and FLAC pictures, in FLAC and in Ogg.
@Suite struct VorbisCommentTests {
  static let tags = """
    -c TITLE=One -c title=Two -c "ARTIST=Grüße 音" -c ALBUMARTIST=all -c TRACKNUMBER=3 -c TRACKTOTAL=9 \
    -c DISCNUMBER=1 -c DATE=2001-02-03 -c DESCRIPTION=words -c GENRE=noise -c FooBar=x=y -c ISRC=ABC
    """

  @Test(
    "Comments have the names and values that ffprobe prints",
    arguments: [
      "oggenc -Q -o out.x in.wav \(tags)",
      "opusenc --quiet in.wav out.x \(tags.replacing("-c ", with: "--comment "))",
      "flac -s -f -o out.x in.wav \(tags.replacing("-c ", with: "-T "))",
      "flac -s -f --ogg -o out.x in.wav \(tags.replacing("-c ", with: "-T "))",
    ])
  func names(_ command: String) throws {
    let workshop = Workshop()
    try workshop.run(OggOracleTests.Recipe(encoder: command).command)
    var stream = AudioFileStream()
    _ = parse(try workshop.read("out.x"), with: &stream)
    let info = try stream.infoDictionary
    let printed = try workshop.lines(
      "ffprobe -v error -show_entries format_tags:stream_tags -of default=nk=0:nw=1 out.x")
    for line in printed {
      let parts = line.dropFirst(4).split(separator: "=", maxSplits: 1).map(String.init)
      let name = parts[0] == "ISRC" ? "ISRC" : parts[0].lowercased()
      #expect(info[AudioTagKey(rawValue: name)] == parts[1], "\(name)")
    }
    #expect(info.entries.count == printed.count)
    #expect(info[.title] == "One;Two")
    #expect(info[.artist] == "Grüße 音")
  }

  @Test(
    "Pictures are listed with the type of their bytes, and kept if they are wanted",
    arguments: [
      ("flac -s -f -o out.flac in.wav", "FLAC", true),
      ("oggenc -Q -o out.ogg in.wav", "OggVorbis", false),
      ("opusenc --quiet in.wav out.opus", "OggOpus", false),
    ])
  func pictures(_ encoder: String, _ type: String, _ isFLAC: Bool) throws {
    let workshop = Workshop()
    let name = "out.\(type == "FLAC" ? "flac" : type == "OggOpus" ? "opus" : "ogg")"
    try workshop.run(
      """
      \(OggOracleTests.Recipe(encoder: encoder).command) && \
      ffmpeg -v error -y -f lavfi -i testsrc=size=640x480 -frames:v 1 cover.png
      """)
    let script = """
      import base64
      from mutagen.flac import FLAC, Picture
      from mutagen.oggvorbis import OggVorbis
      from mutagen.oggopus import OggOpus
      picture = Picture()
      picture.type, picture.mime, picture.desc = 4, "image/jpeg", "the back"
      picture.data = open("cover.png", "rb").read()
      small = Picture()
      small.type, small.mime, small.data = 3, "", b"GIF89a"
      file = \(type)("\(name)")
      if \(isFLAC ? "True" : "False"):
          file.add_picture(picture)
          file.add_picture(small)
      else:
          file["metadata_block_picture"] = [
              base64.b64encode(each.write()).decode() for each in (picture, small)]
      file["title"] = "after"
      file.save()
      """
    try workshop.write([UInt8](script.utf8), "tag.py")
    try workshop.run("/usr/bin/python3 tag.py")
    let bytes = try workshop.read(name)
    let cover = try workshop.read("cover.png")
    for limit in [0, 6, cover.count - 1, cover.count] {
      var options = AudioFileStreamOptions()
      options.pictureByteLimit = limit
      for size in [1 << 20, 999, 1] {
        var stream = AudioFileStream(options: options)
        let (_, error) = parse(bytes, .pieces(size), with: &stream)
        #expect(error == nil)
        let info = try stream.infoDictionary
        #expect(info[.title] == "after")
        #expect(
          info.pictures == [
            AudioFilePicture(
              kind: 4, mediaType: "image/png", text: "the back", byteCount: cover.count,
              bytes: limit >= cover.count ? cover : []),
            AudioFilePicture(
              kind: 3, mediaType: "image/gif", byteCount: 6,
              bytes: limit >= 6 ? [UInt8]("GIF89a".utf8) : []),
          ])
      }
    }
  }

  @Test("Comments that overstate their size, and empty ones, are harmless")
  func broken() {
    let blocks: [[UInt8]] = [
      [255, 255, 255, 255, 1],
      [0, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0, 3, 0, 0, 0, 0x61, 0x3D, 0x62],
      [0, 0, 0, 0, 1, 0, 0, 0, 255, 255, 255, 127, 0x61, 0x3D, 0x62],
      [
        0, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 0x3D, 2, 0, 0, 0, 0x61, 0x3D, 3, 0, 0, 0, 0x61, 0x3D,
        0x62,
      ],
      [],
    ]
    for block in blocks {
      let flac = SyntheticFLAC(blocks: [(4, block), (6, block), (3, block)])
      let (recorder, error) = parse(flac.bytes)
      #expect(error == nil)
      #expect(recorder.packetBytes == flac.frames)
    }
    var stream = AudioFileStream()
    _ = parse(SyntheticFLAC(blocks: [(4, blocks[1])]).bytes, with: &stream)
    #expect((try? stream.infoDictionary[AudioTagKey(rawValue: "a")]) == "b")
  }

  @Test("A channel mask comment names the speakers")
  func channelMask() throws {
    let workshop = Workshop()
    try workshop.run(
      """
      ffmpeg -v error -y -f lavfi -i anoisesrc=d=0.2 -af "aformat=channel_layouts=4.0" in.wav && \
      ffmpeg -v error -y -i in.wav out.flac
      """)
    var stream = AudioFileStream()
    _ = parse(try workshop.read("out.flac"), with: &stream)
    #expect(
      try stream.channelLayout.bitmap == [.left, .right, .center, .centerSurround])
    #expect(
      (try? stream.infoDictionary[AudioTagKey(rawValue: "waveformatextensible_channel_mask")])
        == nil)
  }
}
