// SPDX-License-Identifier: MIT

/// Tells playlists of HTTP Live Streaming (RFC 8216) from sound and from plain playlists, which have
/// the same name and type. A value without I/O.
enum LiveStreamingProbe {
  /// Bytes that are enough: the tags that every such playlist has come first.
  static var byteCount: Int { 4096 }

  /// Whether a body may be such a playlist, by what the server and the URL's path call it.
  static func isDue(contentType: String?, path: String) -> Bool {
    let type = contentType?.lowercased() ?? ""
    return type.contains("mpegurl") || path.lowercased().hasSuffix(".m3u8")
  }

  /// Whether a body begins as such a playlist: `#EXTM3U`, and a line with a tag of RFC 8216.
  static func isLiveStreamingPlaylist(_ bytes: Span<UInt8>) -> Bool {
    var start = 0
    // A byte order mark is forbidden, and there.
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
