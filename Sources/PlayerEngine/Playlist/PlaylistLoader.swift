// SPDX-License-Identifier: MIT

public import ByteSources
internal import Glibc
public import Playlists

/// Reads playlists from files, servers and standard input.
///
/// The content, the content type or the name identifies a list. A list from a server cannot reach local files, nor can
/// the lists in it. Blocks as long as the sources do; not for the render thread.
public struct PlaylistLoader: Sendable {
  /// The sources' time limits and sizes.
  public var configuration: ByteSourceConfiguration
  /// The largest size of a list, and the most tracks taken from it and the lists in it.
  public var limits = Playlist.Limits()
  /// Returns whether to give up; called about ten times a second during a wait.
  public var isCancelled: @Sendable () -> Bool

  /// The deepest nesting of lists that is read.
  public static let depthLimit = 4
  /// The most lists read for one location.
  public static let listLimit = 100
  /// The most failures kept for one location; more are only counted.
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
  /// Anything else is returned open, with every byte still to be read and without another request. If the source fails
  /// before its kind is known, its next reader gets the error.
  ///
  /// - Parameter location: a path, a `file:`, `http:` or `https:` URL, or `-` for standard input.
  /// - Throws: ``PlaylistFailure`` if the location cannot be opened or the list cannot be used.
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

  /// Returns the tracks of a location: itself, or those of the list at it.
  ///
  /// - Parameters:
  ///   - location: a path, a `file:`, `http:` or `https:` URL, or `-` for standard input.
  ///   - opensAnything: opens every location, because only its content may identify it as a list, and returns anything
  ///     else open. Otherwise it opens only regular files, which costs nothing, and locations with the name of a list.
  /// - Throws: ``PlaylistFailure`` if the location itself cannot be opened or used. The expansion reports faulty
  ///   entries as failures, without effect on the other entries.
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

  /// Returns a location for messages, without credentials.
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
