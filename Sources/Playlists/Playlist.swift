// SPDX-License-Identifier: MIT

/// The content of a playlist: its entries in order, each with its target.
///
/// A value without input or output; any thread, never the render thread. The bytes are untrusted, and
/// memory stays in proportion to them.
public struct Playlist: Hashable, Sendable {
  /// A list's format.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// One location per line, with `#` comments of which some are known. UTF-8 if all of it is valid,
    /// else Windows-1252, which includes Latin-1.
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

  /// The maximum size of a list.
  public struct Limits: Hashable, Sendable {
    /// Bytes of the list.
    public var bytes = 4 << 20
    /// Entries of the list.
    public var entries = 100_000

    /// Creates limits of 4 MiB and 100,000 entries.
    public init() {}
  }

  /// The format as which the list was read.
  public var kind: Kind
  /// The list's own title, if it has one: `#PLAYLIST:`, or XSPF's `title`.
  public var title: String?
  /// The entries, in the list's order.
  public var entries: [PlaylistEntry] = []

  /// Reads a list.
  ///
  /// An entry without a usable or permitted location has an error as its target; the others are
  /// unaffected.
  ///
  /// - Parameters:
  ///   - bytes: all of the list.
  ///   - kind: its format.
  ///   - origin: the list's origin, to which its entries are relative.
  ///   - limits: the maximum size.
  /// - Throws: the reason why the list is unusable as a whole.
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
