// SPDX-License-Identifier: MIT

extension AudioFilePicture {
  /// The first bytes of a picture that determine its type.
  static let signatureBytes = 12

  /// Sets the type from the picture's first bytes, unless they are a link.
  mutating func takeType(of bytes: ArraySlice<UInt8>) {
    guard mediaType != "-->", let type = Self.mediaType(of: bytes) else { return }
    mediaType = type
  }

  /// Returns the media type by a picture's first bytes; nil if unknown. Programs state wrong types, or
  /// none.
  static func mediaType(of bytes: some Sequence<UInt8>) -> String? {
    let start = Array(bytes.prefix(signatureBytes))
    func has(_ signature: [UInt8], at place: Int = 0) -> Bool {
      start.dropFirst(place).starts(with: signature)
    }
    if has([0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
    if has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
    if has([UInt8]("GIF8".utf8)) { return "image/gif" }
    if has([UInt8]("RIFF".utf8)), has([UInt8]("WEBP".utf8), at: 8) { return "image/webp" }
    if has([0x49, 0x49, 0x2A, 0]) || has([0x4D, 0x4D, 0, 0x2A]) { return "image/tiff" }
    // Two letters occur easily by accident, so the four reserved bytes after the size are checked, too.
    if has([UInt8]("BM".utf8)), has([0, 0, 0, 0], at: 6) { return "image/bmp" }
    if has([UInt8]("ftypavif".utf8), at: 4) { return "image/avif" }
    if has([UInt8]("ftyphei".utf8), at: 4) { return "image/heic" }
    return nil
  }
}
