// SPDX-License-Identifier: MIT

internal import ByteSources
internal import Playlists

/// Reads a source until it knows whether it is a list, and a list to its end.
struct ListReading {
  /// The bytes read so far, since the last discontinuity.
  private(set) var bytes: [UInt8] = []
  /// The number of bytes read before that discontinuity.
  private var passedCount: UInt64 = 0
  private let source: any ByteSource
  private let isCancelled: @Sendable () -> Bool

  private static let sliceNanoseconds: UInt64 = 100_000_000

  init(_ source: any ByteSource, isCancelled: @escaping @Sendable () -> Bool) {
    self.source = source
    self.isCancelled = isCancelled
  }

  /// Returns the kind of list; nil for anything else and for an unreadable source.
  ///
  /// - Parameter named: the kind that the location's name indicates.
  mutating func recognise(_ named: Playlist.Kind?) throws(PlaylistFailure) -> Playlist.Kind? {
    var expected = named
    while bytes.count < Playlist.recognitionBytes {
      let isOver: Bool
      do throws(ByteSourceError) {
        isOver = try readOn(atMost: Playlist.recognitionBytes - bytes.count)
      } catch {
        if error.reason == .liveStreamingPlaylist {
          throw PlaylistFailure(.source(error), at: error.location)
        }
        // The next reader of the source gets the error again.
        return nil
      }
      let information = source.information
      let redirected = information.redirectedTo.flatMap { Playlist.kind(ofName: $0) }
      expected =
        information.contentType.flatMap { Playlist.kind(ofContentType: $0) } ?? redirected ?? named
      if expected == nil, let type = information.contentType, Self.isAudio(type) { return nil }
      // Binary data is no list: a stream must not wait for a whole buffer.
      if isOver || bytes.contains(where: { $0 < 0x09 }) { break }
      try checkCancelled()
    }
    return Playlist.kind(ofFirstBytes: bytes.span, expected: expected)
  }

  /// Reads on to the end, or to the first byte beyond the limit.
  mutating func readAll(limit: Int) throws(PlaylistFailure) {
    while bytes.count <= limit {
      do throws(ByteSourceError) {
        if try readOn(atMost: min(64 << 10, limit + 1 - bytes.count)) { return }
      } catch {
        throw PlaylistFailure(.source(error), at: error.location)
      }
      try checkCancelled()
    }
  }

  /// Returns the source with all bytes still to be read.
  func rewound() -> any ByteSource {
    let information = source.information
    if information.isLocal, information.isRepositionable {
      // A failed source fails again when it is read.
      try? source.reposition(to: 0)
      return source
    }
    return PrefixedByteSource(bytes, after: passedCount, followedBy: source)
  }

  /// - Returns: whether the source has ended.
  private mutating func readOn(atMost count: Int) throws(ByteSourceError) -> Bool {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    defer { unsafe buffer.deallocate() }
    switch unsafe try source.read(into: buffer, timeoutNanoseconds: Self.sliceNanoseconds) {
    case .bytes(let count): unsafe bytes.append(contentsOf: buffer[..<count])
    case .wait: break
    // The bytes that follow do not continue those before.
    case .discontinuity:
      passedCount += UInt64(bytes.count)
      bytes.removeAll()
    case .end: return true
    }
    return false
  }

  private func checkCancelled() throws(PlaylistFailure) {
    if isCancelled() { throw PlaylistFailure(.cancelled, at: source.information.name) }
  }

  private static func isAudio(_ contentType: String) -> Bool {
    let type = contentType.lowercased()
    return ["audio/", "video/", "application/ogg"].contains { type.hasPrefix($0) }
  }
}
