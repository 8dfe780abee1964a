// SPDX-License-Identifier: MIT

public import ByteSources
internal import Glibc
public import Playlists

/// Reads playlists from files, servers and standard input.
///
/// A list is told by its content, its content type or its name. What a server sends cannot reach a
/// file of this machine, in lists of lists neither. Waits as long as the sources
/// do; not the render thread.
public struct PlaylistLoader: Sendable {
  /// How sources behave.
  public var configuration: ByteSourceConfiguration
  /// How large a list may be; also, how many tracks are taken from it and the lists in it.
  public var limits = Playlist.Limits()
  /// Asked about ten times a second while it waits: whether to give up.
  public var isCancelled: @Sendable () -> Bool

  /// Lists are read in lists, this deep.
  public static let depthLimit = 4
  /// Lists that are read for one location.
  public static let listLimit = 100
  /// Failures that are kept of one location; more are counted.
  public static let failureLimit = 100

  /// A loader.
  public init(
    configuration: ByteSourceConfiguration = ByteSourceConfiguration(),
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) {
    self.configuration = configuration
    self.isCancelled = isCancelled
  }

  /// Opens a location and reads it if it is a list; the lists in it are not read.
  ///
  /// What is no list comes back open, with every byte still to be read and without another request.
  /// When it breaks before that is clear, its reader is told the same.
  ///
  /// - Parameter location: a path, a `file:`, `http:` or `https:` URL, or `-` for standard input.
  /// - Throws: why it cannot be opened, or the list not be used.
  public func open(_ location: String) throws(PlaylistFailure) -> PlaylistContent {
    let source: any ByteSource
    do throws(ByteSourceError) {
      source = try openByteSource(location, configuration: configuration)
    } catch {
      throw PlaylistFailure(.source(error), at: error.location)
    }
    var reading = ListReading(source, isCancelled: isCancelled)
    do throws(PlaylistFailure) {
      guard let kind = try reading.recognise(Playlist.kind(ofName: location)) else {
        return .other(reading.rewound())
      }
      defer { source.close() }
      try reading.readAll(limit: limits.bytes)
      let information = source.information
      var origin = PlaylistOrigin(location: location)
      if let url = information.redirectedTo { origin = origin.redirected(to: url) }
      return .playlist(try parse(reading.bytes, as: kind, from: origin, name: information.name))
    } catch {
      source.close()
      throw error
    }
  }

  private func parse(
    _ bytes: [UInt8], as kind: Playlist.Kind, from origin: PlaylistOrigin, name: String
  ) throws(PlaylistFailure) -> Playlist {
    let playlist: Playlist
    do throws(PlaylistError) {
      playlist = try Playlist(parsing: bytes.span, as: kind, from: origin, limits: limits)
    } catch {
      throw PlaylistFailure(.list(error), at: name)
    }
    guard !playlist.entries.isEmpty else { throw PlaylistFailure(.empty, at: name) }
    return playlist
  }

  /// The tracks that a location leads to: itself, or those of the list that it is.
  ///
  /// - Parameters:
  ///   - location: a path, a `file:`, `http:` or `https:` URL, or `-` for standard input.
  ///   - opensAnything: open also what nothing but its content would show to be a list, and hand it on
  ///     open if it is none. Otherwise only regular files are looked into, which costs nothing, and
  ///     what is named like a list.
  /// - Throws: why the location itself cannot be opened or used. What is wrong with an entry is among
  ///   the failures, and the other entries are not harmed by it.
  public func expand(
    _ location: String, opensAnything: Bool = true
  ) throws(PlaylistFailure) -> PlaylistExpansion {
    var expansion = PlaylistExpansion()
    guard opensAnything || Playlist.kind(ofName: location) != nil || Self.isRegularFile(location)
    else {
      expansion.items = [PlaylistItem(location: location)]
      return expansion
    }
    switch try open(location) {
    case .other(let source):
      if !opensAnything { source.close() }
      expansion.items = [PlaylistItem(location: location, source: opensAnything ? source : nil)]
    case .playlist(let playlist):
      var walk = ListWalk(self, from: location)
      try walk.add(playlist, named: Self.name(location))
      expansion = walk.expansion
    }
    return expansion
  }

  /// A location for messages.
  static func name(_ location: String) -> String {
    location == "-" ? "standard input" : location.withoutCredentials
  }

  private static func isRegularFile(_ location: String) -> Bool {
    guard location != "-", case .file(let path) = PlaylistOrigin(location: location) else {
      return false
    }
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }
}
