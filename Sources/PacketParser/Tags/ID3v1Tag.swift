// SPDX-License-Identifier: MIT

/// An ID3v1 tag: `TAG`, then fields of fixed size, filled with NULs or spaces.
enum ID3v1Tag {
  static let byteCount = 128

  /// Reads the tag that begins at `start`, of which all bytes are present.
  ///
  /// ```
  /// TAG 3, title 30, artist 30, album 30, year 4, comment 30 (1.1: 28, a zero, the track), genre 1
  /// ```
  static func read(_ bytes: Span<UInt8>, at start: Int, into tags: inout TagCollector) {
    func text(_ place: Int, _ byteCount: Int) -> String {
      var field: [UInt8] = []
      for index in start + place..<start + place + byteCount {
        if bytes[index] == 0 { break }
        field.append(bytes[index])
      }
      while field.last == 0x20 { field.removeLast() }
      return String(latin1: field[...])
    }
    let hasTrack = bytes[start + 125] == 0 && bytes[start + 126] != 0
    tags.add(.title, text(3, 30))
    tags.add(.artist, text(33, 30))
    tags.add(.album, text(63, 30))
    tags.add(.date, text(93, 4))
    tags.add(.comment, text(97, hasTrack ? 28 : 30))
    if hasTrack { tags.add(.track, "\(bytes[start + 126])") }
    if let genre = ID3Genre.name(Int(bytes[start + 127])) { tags.add(.genre, genre) }
  }
}
