// SPDX-License-Identifier: MIT

/// Distinguishes playlists of HTTP Live Streaming (RFC 8216) from sound and from plain playlists, which have
/// the same name and type. A value without I/O.
enum LiveStreamingProbe {
  /// The number of bytes to examine: the tags of every such playlist come first.
  static var byteCount: Int { 4096 }

  /// Returns whether a body may be such a playlist, by its content type and its URL's path.
  static func isDue(contentType: String?, path: String) -> Bool {
    let type = contentType?.lowercased() ?? ""
    return type.contains("mpegurl") || path.lowercased().hasSuffix(".m3u8")
  }

  /// Returns whether a body begins as such a playlist: `#EXTM3U`, and a line with a tag of RFC 8216.
  static func isLiveStreamingPlaylist(_ bytes: Span<UInt8>) -> Bool {
    var start = 0
    // A byte order mark is forbidden, but occurs.
    if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { start = 3 }
    guard has("#EXTM3U", in: bytes, at: start) else { return false }
    return (start..<bytes.count).contains { place in
      (bytes[place] == 0x0A || bytes[place] == 0x0D) && has("#EXT-X-", in: bytes, at: place + 1)
    }
  }

  private static func has(_ text: StaticString, in bytes: Span<UInt8>, at start: Int) -> Bool {
    let wanted = Array(text.description.utf8)
    return wanted.count <= bytes.count - start
      && wanted.indices.allSatisfy { bytes[start + $0] == wanted[$0] }
  }
}
