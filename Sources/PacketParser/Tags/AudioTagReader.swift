// SPDX-License-Identifier: MIT

/// Reads a tag that passes by: ID3v2, APE or ID3v1.
enum AudioTagReader {
  case id3v2(ID3v2Reader)
  case ape(APEReader)
  case id3v1(isRead: Bool)

  /// The tag at the start of `bytes`, as far as `AudioTag.extent` asked for them; nil for one that
  /// is only passed.
  init?(_ bytes: Span<UInt8>) {
    if let reader = ID3v2Reader(bytes) {
      self = .id3v2(reader)
    } else if AudioTag.isAPEHeader(bytes, at: 0), let reader = APEReader(bytes) {
      self = .ape(reader)
    } else if bytes.has("TAG", at: 0), !AudioTag.isEnhanced(bytes, at: 0) {
      self = .id3v1(isRead: false)
    } else {
      return nil
    }
  }

  /// Looks at the tag's next bytes, of which the first are its header.
  mutating func step(
    _ bytes: Span<UInt8>, isEnd: Bool, into tags: inout TagCollector
  ) -> TagStep {
    switch self {
    case .id3v2(var reader):
      defer { self = .id3v2(reader) }
      return reader.step(bytes, isEnd: isEnd, into: &tags)
    case .ape(var reader):
      defer { self = .ape(reader) }
      return reader.step(bytes, isEnd: isEnd, into: &tags)
    case .id3v1(let isRead):
      if isRead { return .finished }
      guard bytes.count >= ID3v1Tag.byteCount else {
        if !isEnd { return .need(ID3v1Tag.byteCount) }
        self = .id3v1(isRead: true)
        return bytes.isEmpty ? .finished : .skip(Int64(bytes.count))
      }
      ID3v1Tag.read(bytes, at: 0, into: &tags)
      self = .id3v1(isRead: true)
      return .skip(Int64(ID3v1Tag.byteCount))
    }
  }
}
