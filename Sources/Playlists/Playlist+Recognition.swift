// SPDX-License-Identifier: MIT

import AudioModel

extension Playlist {
  /// Bytes at a list's start that suffice to recognise it.
  public static let recognitionBytes = 1024

  /// Returns the kind of list by its first bytes: `#EXTM3U`, `[playlist]`, or XML whose root is
  /// `playlist`.
  ///
  /// - Parameter bytes: the first bytes, ``recognitionBytes`` of them if there are as many.
  /// - Returns: nil for everything else, and for M3U without `#EXTM3U`, which only its name
  ///   distinguishes from other text.
  public static func kind(ofFirstBytes bytes: Span<UInt8>) -> Kind? {
    let head = text(bytes)
    if head.hasPrefix(ignoringCase: "#extm3u") { return .m3u }
    if head.hasPrefix(ignoringCase: "[playlist]") { return .pls }
    guard head.first == UInt8(ascii: "<") else { return nil }
    var scanner = XMLScanner(Array(head))
    guard case .start("playlist", _)? = try? scanner.next() else { return nil }
    return .xspf
  }

  /// Returns the kind of list by a server's content type (`audio/x-mpegurl`,
  /// `application/vnd.apple.mpegurl`, `audio/x-scpls`, `application/xspf+xml` and their variants).
  ///
  /// - Parameter contentType: the media type, with or without parameters.
  public static func kind(ofContentType contentType: String) -> Kind? {
    let essence = contentType.utf8.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
    return switch String(Substring(essence)).lowercased() {
    case "audio/x-mpegurl", "audio/mpegurl", "application/x-mpegurl", "application/mpegurl": .m3u
    case "application/vnd.apple.mpegurl", "audio/vnd.apple.mpegurl": .m3u8
    case "audio/x-scpls", "audio/scpls", "application/pls", "application/pls+xml": .pls
    case "application/xspf+xml": .xspf
    default: nil
    }
  }

  /// Returns the kind of list by the end of its name: `.m3u`, `.m3u8`, `.pls` or `.xspf`.
  ///
  /// - Parameter location: a path, or a URL whose query and fragment are ignored.
  public static func kind(ofName location: String) -> Kind? {
    let reference = URIReference(location)
    let path = reference.authority == nil ? location : reference.path
    guard let dot = path.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
    return Kind(rawValue: path[dot...].dropFirst().lowercased())
  }

  /// Returns the kind of list by its first bytes and its expected kind. A signature in the bytes
  /// outranks the expectation. Bytes that cannot be a list, because they are not text or are HTML,
  /// yield nil.
  ///
  /// - Parameters:
  ///   - bytes: the first bytes, ``recognitionBytes`` of them if there are as many.
  ///   - expected: the kind by name or content type.
  public static func kind(ofFirstBytes bytes: Span<UInt8>, expected: Kind?) -> Kind? {
    if let kind = kind(ofFirstBytes: bytes) {
      return kind == .m3u && expected == .m3u8 ? .m3u8 : kind
    }
    guard let expected, bytes.count > 0 else { return nil }
    let isUTF16 = bytes.count >= 2 && bytes[0] ^ bytes[1] == 1 && bytes[0] >= 0xFE
    if isUTF16 { return expected }
    let head = text(bytes)
    let isText = head.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0.isXMLSpace }
    guard isText else { return nil }
    let isMarkup = head.first == UInt8(ascii: "<")
    return isMarkup == (expected == .xspf) ? expected : nil
  }

  /// Returns the bytes after a byte-order mark and white space.
  private static func text(_ bytes: Span<UInt8>) -> ArraySlice<UInt8> {
    let start = PlaylistText.hasMark(bytes) ? 3 : 0
    let head = (start..<max(start, bytes.count)).map { bytes[$0] }
    return head.drop(while: \.isXMLSpace)
  }
}
