// SPDX-License-Identifier: MIT

/// What a playlist says: its entries in their order, each with what it leads to.
///
/// A value without input or output; any thread, never the render thread. The bytes come from whoever
/// wrote the list: they are never trusted, and memory stays in proportion to them.
public struct Playlist: Hashable, Sendable {
  /// A list's format.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A location a line, with `#` comments of which some are known. UTF-8 where all of it is, else
    /// Windows-1252, of which Latin-1 is a part.
    case m3u
    /// The same, always in UTF-8.
    case m3u8
    /// `[playlist]`, `File1=…`; text as in M3U.
    case pls
    /// XML, of the namespace `http://xspf.org/ns/0/`.
    case xspf

    /// The format's name for people.
    public var name: String { rawValue.uppercased() }
  }

  /// How large a list may be.
  public struct Limits: Hashable, Sendable {
    /// Bytes of the list.
    public var bytes = 4 << 20
    /// Entries of the list.
    public var entries = 100_000

    /// 4 MiB and 100,000 entries.
    public init() {}
  }

  /// The format that it was read as.
  public var kind: Kind
  /// The list's own title, where it has one: `#PLAYLIST:`, or XSPF's `title`.
  public var title: String?
  /// The entries, in the list's order.
  public var entries: [PlaylistEntry] = []

  /// Reads a list.
  ///
  /// An entry that leads nowhere, or to where it must not, has an error for its target; the others
  /// are not harmed by it.
  ///
  /// - Parameters:
  ///   - bytes: all of the list.
  ///   - kind: its format.
  ///   - origin: where it came from; its entries are relative to that.
  ///   - limits: how large it may be.
  /// - Throws: why it cannot be used at all.
  public init(
    parsing bytes: Span<UInt8>, as kind: Kind, from origin: PlaylistOrigin,
    limits: Limits = Limits()
  ) throws(PlaylistError) {
    self.kind = kind
    guard bytes.count <= limits.bytes else {
      throw PlaylistError(.tooManyBytes(limit: limits.bytes))
    }
    let resolver = EntryResolver(origin)
    switch kind {
    case .m3u, .m3u8:
      let text = try PlaylistText.decode(bytes, requiresUTF8: kind == .m3u8)
      (title, entries) = try M3UParser.parse(text, resolver, entryLimit: limits.entries)
    case .pls:
      let text = try PlaylistText.decode(bytes, requiresUTF8: false)
      entries = try PLSParser.parse(text, resolver, entryLimit: limits.entries)
    case .xspf:
      let text = try PlaylistText.decode(xml: bytes)
      var parser = XSPFParser(text, resolver, entryLimit: limits.entries)
      try parser.parse()
      (title, entries) = (parser.title, parser.entries)
    }
  }
}
