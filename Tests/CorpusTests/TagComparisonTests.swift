// SPDX-License-Identifier: MIT

import PacketParser
import Testing

/// Tags and pictures, compared with ffprobe's.
@Suite struct TagComparisonTests {
  private static let names = [
    "title", "artist", "album", "album_artist", "track", "disc", "date", "genre", "composer",
    "comment", "copyright",
  ]

  /// The tags that `scripts/corpus` writes.
  private static let written = [
    "title": "Étude № 1", "artist": "Drawbar", "album": "Stops", "album_artist": "Various",
    "track": "3/12", "disc": "1/2", "date": "2024", "genre": "Ambient", "composer": "Nobody",
    "comment": "Remark", "copyright": "Free",
  ]

  @Test(
    "The tags of each file are ffprobe's, or the written ones if ffprobe reads none",
    arguments: CorpusFile.readable)
  func tags(_ file: CorpusFile) {
    let info = parse(file.bytes).atEnd.info
    let theirs = file.probe.tags
    var ours: [String: String] = [:]
    for entry in info?.entries ?? [] { ours[entry.key.rawValue.lowercased()] = entry.value }
    if file.differences["tags"] != nil {
      #expect(ours["title"] == Self.written["title"])
      for name in Self.names where ours[name] != nil {
        #expect(ours[name] == Self.written[name], "\(name)")
      }
      return
    }
    for name in Self.names where file.differences["tag-" + name] == nil {
      #expect(ours[name] == theirs[name], "\(name)")
    }
  }

  @Test("The pictures of each file are ffprobe's", arguments: CorpusFile.readable)
  func pictures(_ file: CorpusFile) {
    let pictures = parse(file.bytes).atEnd.info?.pictures ?? []
    let ours = pictures.map { picture in
      PictureSize(codec: codec(picture.mediaType), byteCount: picture.byteCount)
    }
    if file.differences["pictures"] != nil {
      #expect(!ours.isEmpty && Set(ours).count == ours.count)
      return
    }
    #expect(ours.sorted() == file.probe.pictureSizes)
  }

  /// ffmpeg's codec name for a media type.
  private func codec(_ mediaType: String) -> String {
    switch mediaType {
    case "image/jpeg", "image/jpg", "JPG": "mjpeg"
    case "image/png", "PNG": "png"
    default: mediaType
    }
  }
}
