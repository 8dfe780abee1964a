// SPDX-License-Identifier: MIT

import AudioModel

/// Reads XSPF version 0 and 1 (https://www.xspf.org/spec). Of a track's several locations the first
/// usable one counts; extensions are skipped.
struct XSPFParser {
  private(set) var title: String?
  private(set) var entries: [PlaylistEntry] = []
  private var scanner: XMLScanner
  private let entryLimit: Int
  /// The names of the open elements, and for each the resolver of its locations.
  private var open: [String] = []
  private var resolvers: [EntryResolver]
  private var track: PlaylistEntry?
  /// The text of the current element, if the parser uses it.
  private var text: String?
  private var leafLine = 0

  private static let track = ["playlist", "trackList", "track"]

  init(_ text: [UInt8], _ resolver: EntryResolver, entryLimit: Int) {
    scanner = XMLScanner(text)
    resolvers = [resolver]
    self.entryLimit = entryLimit
  }

  mutating func parse() throws(PlaylistError) {
    while true {
      switch try scanner.next() {
      case .start(let name, let attributes): try start(name, attributes)
      case .text(let piece): text?.append(piece)
      case .end: end()
      case .finished: return
      }
    }
  }

  private mutating func start(
    _ name: String, _ attributes: [XMLScanner.Attribute]
  ) throws(PlaylistError) {
    if open.isEmpty, name != "playlist" {
      throw PlaylistError(.foreignRoot(String(name.prefix(64))), line: scanner.line)
    }
    open.append(name)
    let base = attributes.first { $0.name == "xml:base" }?.value
    let outer = resolvers[resolvers.count - 1]
    resolvers.append(base.map { outer.rebased(on: $0.trimmedOfXMLSpace) } ?? outer)
    if open == Self.track {
      guard entries.count < entryLimit else {
        throw PlaylistError(.tooManyEntries(limit: entryLimit), line: scanner.line)
      }
      track = PlaylistEntry("", .failure(.noLocation), line: scanner.line)
    }
    let isLeaf =
      switch name {
      case "title" where open.count == 2: true
      case "location", "title", "creator", "album", "duration":
        open.count == 4 && open.starts(with: Self.track)
      default: false
      }
    text = isLeaf ? "" : nil
    leafLine = scanner.line
  }

  private mutating func end() {
    let value = text?.trimmedOfXMLSpace ?? ""
    text = nil
    let name = open.last
    let resolver = resolvers.removeLast()
    if open == Self.track, let entry = track {
      entries.append(entry)
      track = nil
    }
    open.removeLast()
    guard !value.isEmpty else { return }
    switch name {
    case "location": add(location: value, resolver)
    case "title" where open.count == 1: if title == nil { title = value }
    case "title": if track?.title == nil { track?.title = value }
    case "creator": if track?.creator == nil { track?.creator = value }
    case "album": if track?.album == nil { track?.album = value }
    case "duration":
      track?.durationNanoseconds = PlaylistDuration.nanoseconds(
        Array(value.utf8)[...], unitNanoseconds: 1_000_000)
    default: break
    }
  }

  private mutating func add(location: String, _ resolver: EntryResolver) {
    guard case .failure? = track?.target else { return }
    let target = resolver.resolve(location, as: .uriReference)
    // If no location is usable, the first one is reported.
    if case .failure = target, track?.written.isEmpty == false { return }
    track?.written = location
    track?.target = target
    track?.line = leafLine
  }
}

extension String {
  var trimmedOfXMLSpace: String { Array(utf8)[...].trimmed.text }
}
