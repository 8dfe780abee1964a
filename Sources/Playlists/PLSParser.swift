// SPDX-License-Identifier: MIT

import AudioModel

/// Reads PLS, version 1 and 2:
///
///     [playlist]
///     File1=http://radio.example/live
///     Title1=Radio
///     Length1=-1
///     NumberOfEntries=1
///     Version=2
///
/// Numbers may be missing and in any order: entries are sorted by them. `NumberOfEntries` is ignored
/// because it is often wrong.
enum PLSParser {
  static func parse(
    _ text: [UInt8], _ resolver: EntryResolver, entryLimit: Int
  ) throws(PlaylistError) -> [PlaylistEntry] {
    var files: [Int: (written: String, line: Int)] = [:]
    var titles: [Int: String] = [:]
    var durations: [Int: UInt64] = [:]
    var isInPlaylist = true
    var lines = LineReader(text)
    while let line = lines.next()?.trimmed {
      if line.first == UInt8(ascii: "[") {
        isInPlaylist = line.hasPrefix(ignoringCase: "[playlist]")
        continue
      }
      guard isInPlaylist, let equals = line.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let key = line[..<equals].trimmed
      let value = line[(equals + 1)...].trimmed
      guard !value.isEmpty else { continue }
      // The first of two entries with one number counts, as in Windows, where the format comes from.
      if let number = number(of: key, behind: "file"), files[number] == nil {
        guard files.count < entryLimit else {
          throw PlaylistError(.tooManyEntries(limit: entryLimit), line: lines.number)
        }
        files[number] = (value.text, lines.number)
      } else if let number = number(of: key, behind: "title"), titles[number] == nil {
        titles[number] = value.text
      } else if let number = number(of: key, behind: "length"), durations[number] == nil {
        durations[number] = PlaylistDuration.nanoseconds(value, unitNanoseconds: 1_000_000_000)
      }
    }
    return files.sorted { $0.key < $1.key }.map { number, file in
      var entry = PlaylistEntry(
        file.written, resolver.resolve(file.written, as: .path), line: file.line)
      entry.title = titles[number]
      entry.durationNanoseconds = durations[number]
      return entry
    }
  }

  private static func number(of key: ArraySlice<UInt8>, behind word: String) -> Int? {
    guard key.hasPrefix(ignoringCase: word) else { return nil }
    let digits = key.dropFirst(word.utf8.count)
    guard digits.allSatisfy(\.isDigit) else { return nil }
    return Int(digits.text)
  }
}
