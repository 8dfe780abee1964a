// SPDX-License-Identifier: MIT

import AudioModel

/// Reads M3U, plain and extended:
///
///     #EXTM3U
///     #PLAYLIST:Evening
///     #EXTINF:185 group-title="a, b",Artist - Title
///     Music/song.mp3
enum M3UParser {
  static func parse(
    _ text: [UInt8], _ resolver: EntryResolver, entryLimit: Int
  ) throws(PlaylistError) -> (title: String?, entries: [PlaylistEntry]) {
    var title: String?
    var entries: [PlaylistEntry] = []
    var next: (title: String?, durationNanoseconds: UInt64?) = (nil, nil)
    var lines = LineReader(text)
    while let line = lines.next()?.trimmed {
      guard let first = line.first else { continue }
      guard first == UInt8(ascii: "#") else {
        guard entries.count < entryLimit else {
          throw PlaylistError(.tooManyEntries(limit: entryLimit), line: lines.number)
        }
        let written = line.text
        var entry = PlaylistEntry(
          written, resolver.resolve(written, as: .path), line: lines.number)
        (entry.title, entry.durationNanoseconds) = next
        entries.append(entry)
        next = (nil, nil)
        continue
      }
      if line.hasPrefix(ignoringCase: "#ext-x-") {
        let tag = line.prefix { $0 != UInt8(ascii: ":") && !$0.isXMLSpace }.prefix(64)
        throw PlaylistError(.httpLiveStreaming(tag: tag.text), line: lines.number)
      } else if line.hasPrefix(ignoringCase: "#extinf:") {
        next = information(line.dropFirst("#EXTINF:".utf8.count).trimmed)
      } else if line.hasPrefix(ignoringCase: "#playlist:") {
        title = title ?? line.dropFirst("#PLAYLIST:".utf8.count).trimmed.textIfAny
      }
    }
    return (title, entries)
  }

  /// Reads `seconds[ name="value"…],title`, ignoring commas between quotes.
  private static func information(
    _ text: ArraySlice<UInt8>
  ) -> (title: String?, durationNanoseconds: UInt64?) {
    var isQuoted = false
    let comma =
      text.firstIndex { byte in
        if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
        return byte == UInt8(ascii: ",") && !isQuoted
      } ?? text.firstIndex(of: UInt8(ascii: ","))
    let title = comma.map { text[($0 + 1)...].trimmed }?.textIfAny
    return (title, PlaylistDuration.nanoseconds(text, unitNanoseconds: 1_000_000_000))
  }
}

extension ArraySlice<UInt8> {
  /// The bytes as text; nil if there are none.
  fileprivate var textIfAny: String? { isEmpty ? nil : text }
}
