// SPDX-License-Identifier: MIT

import AudioModel

extension AudioFileTypeID {
  /// Creates the type that a name's extension and a server's content type suggest. The content type decides,
  /// except that `audio/mpeg` covers every layer (RFC 3003) and the extension may name one.
  init?(hintedByPath path: String, contentType: String? = nil) {
    let byExtension = Self.hint(fromPath: path)
    guard let byType = contentType.flatMap(Self.hint(fromContentType:)) else {
      guard let byExtension else { return nil }
      self = byExtension
      return
    }
    let namesLayer = byType == .mpegLayer3 && byExtension != .wave
    self = namesLayer ? byExtension ?? byType : byType
  }

  private static func hint(fromPath path: String) -> AudioFileTypeID? {
    let name = path.utf8.split(separator: UInt8(ascii: "/")).last ?? Substring(path).utf8
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")) else { return nil }
    return switch String(decoding: name[name.index(after: dot)...], as: UTF8.self).lowercased() {
    case "mp1": .mpegLayer1
    case "mp2": .mpegLayer2
    case "mp3": .mpegLayer3
    case "wav", "wave": .wave
    default: nil
    }
  }

  private static func hint(fromContentType type: String) -> AudioFileTypeID? {
    let essence = type.utf8.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
    return switch String(decoding: essence, as: UTF8.self).lowercased() {
    case "audio/mpeg", "audio/mp3": .mpegLayer3
    case "audio/wav", "audio/x-wav", "audio/vnd.wave": .wave
    default: nil
    }
  }
}
