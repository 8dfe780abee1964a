// SPDX-License-Identifier: MIT

import AudioModel
import ByteSources
import PlayerEngine
import Playlists

/// The facts about one playlist, as the source of the text and the JSON.
struct PlaylistSheet {
  /// The list's path or its URL without credentials, in one line.
  let location: String
  /// The location for programs: a path is unchanged.
  private let file: String
  /// nil if it cannot be read.
  let playlist: Playlist?
  /// The errors of the list, or of its entries.
  let errors: [PlaylistFailure]

  init(_ location: String, _ playlist: Playlist) {
    let name = Self.name(location)
    self.location = name
    file = location.filePath == nil ? name : location
    self.playlist = playlist
    errors = playlist.entries.compactMap { entry in
      guard case .failure(let error) = entry.target else { return nil }
      return PlaylistFailure(.entry(entry.written, error), at: name, line: entry.line)
    }
  }

  init(_ location: String, error: PlaylistFailure) {
    self.location = Self.name(location)
    file = location.filePath == nil ? self.location : location
    playlist = nil
    errors = [error]
  }

  private static func name(_ location: String) -> String {
    location == "-" ? "standard input" : location.withoutCredentials
  }

  /// The text for people: the kind of list, and a line for each entry with its number, duration, location and title.
  var text: String {
    guard let playlist else { return "" }
    let count = playlist.entries.count
    var text = "File      \(location.asMessage)\n"
    text += "Playlist  \(playlist.kind.name), \(count) \(count == 1 ? "entry" : "entries")\n"
    if let title = playlist.title { text += "Title     \(title.asMessage)\n" }
    for (index, entry) in playlist.entries.enumerated() {
      let duration = entry.durationNanoseconds.map(TimeText.clock) ?? "-"
      let words = [entry.creator, entry.title].compactMap { $0 }.joined(separator: " - ")
      let row = [
        Self.padded("\(index + 1)", 4), Self.padded(duration, 8), Self.shown(entry), words,
      ]
      text += row.filter { !$0.isEmpty }.joined(separator: "  ").asMessage + "\n"
    }
    return text
  }

  /// The members for programs. Stable, as those of a file's sheet are.
  var members: [(String, JSONValue)] {
    [
      ("file", .string(file)),
      ("playlist", .optional(playlist?.kind.rawValue)),
      ("title", .optional(playlist?.title)),
      ("entries", .array(AnySequence((playlist?.entries ?? []).lazy.map(Self.object)))),
      ("error", .optional(playlist == nil ? errors.first.map { "\($0)" } : nil)),
    ]
  }

  private static func object(_ entry: PlaylistEntry) -> JSONValue {
    var error: String?
    if case .failure(let reason) = entry.target { error = "\(reason)" }
    return .object([
      ("location", .string(shown(entry))),
      ("title", .optional(entry.title)),
      ("creator", .optional(entry.creator)),
      ("album", .optional(entry.album)),
      ("durationSeconds", .optional(entry.durationNanoseconds.map { Double($0) / 1e9 })),
      ("line", .integer(Int64(entry.line))),
      ("error", .optional(error)),
    ])
  }

  private static func shown(_ entry: PlaylistEntry) -> String {
    switch entry.target {
    case .success(let target): target.location.withoutCredentials
    case .failure: entry.written.withoutCredentials
    }
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.utf8.count)) + text
  }
}
