// SPDX-License-Identifier: MIT

/// Reads an ID3v2 tag (versions 2.2 to 2.4) piece by piece.
struct ID3v2Reader {
  /// Bytes of a tag's header.
  static let headerBytes = 10

  private var left: Int64

  /// The tag whose header is at the start of `bytes`; nil if there is none.
  init?(_ bytes: Span<UInt8>) {
    guard case .bytes(let byteCount) = AudioTag.extent(bytes, at: 0, isEnd: true),
      bytes.has("ID3", at: 0)
    else { return nil }
    left = byteCount
  }

  /// Looks at the tag's next bytes, of which the first are its header.
  mutating func step(
    _ bytes: Span<UInt8>, isEnd: Bool, into tags: inout TagCollector
  ) -> TagStep {
    defer { left = 0 }
    return left == 0 ? .finished : .skip(left)
  }
}
