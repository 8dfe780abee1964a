// SPDX-License-Identifier: MIT

/// Reads a tag as its bytes arrive: ID3v2, APE or ID3v1.
struct AudioTagReader {
  // At most one of them is set. They are no enumeration, whose payload would be copied at every step.
  private var id3v2: ID3v2Reader?
  private var ape: APEReader?
  private var isID3v1Read = false

  /// Creates a reader of the tag at the start of `bytes`, which has as many bytes as `AudioTag.extent`
  /// requested; nil for a tag that is only skipped.
  init?(_ bytes: Span<UInt8>) {
    id3v2 = ID3v2Reader(bytes)
    if id3v2 != nil { return }
    if AudioTag.isAPEHeader(bytes, at: 0) {
      ape = APEReader(bytes)
    } else if !bytes.has("TAG", at: 0) || AudioTag.isEnhanced(bytes, at: 0) {
      return nil
    }
  }

  /// Reads the tag's next bytes, which begin with its header.
  mutating func step(
    _ bytes: Span<UInt8>, isEnd: Bool, into tags: inout TagCollector
  ) -> TagStep {
    if let step = id3v2?.step(bytes, isEnd: isEnd, into: &tags) { return step }
    if let step = ape?.step(bytes, isEnd: isEnd, into: &tags) { return step }
    if isID3v1Read { return .finished }
    if bytes.count < ID3v1Tag.byteCount, !isEnd { return .need(ID3v1Tag.byteCount) }
    isID3v1Read = true
    guard bytes.count >= ID3v1Tag.byteCount else {
      return bytes.isEmpty ? .finished : .skip(Int64(bytes.count))
    }
    ID3v1Tag.read(bytes, at: 0, into: &tags)
    return .skip(Int64(ID3v1Tag.byteCount))
  }
}
