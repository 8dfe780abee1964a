// SPDX-License-Identifier: MIT

/// The content of an `esds` box (ES_Descriptor, ISO/IEC 14496-1 section 7.2.6.5): a magic cookie of
/// MPEG-4 audio.
package struct ElementaryStreamDescriptor {
  /// The type of the packets: 0x40 for MPEG-4 audio (ISO/IEC 14496-1 table 5).
  package private(set) var objectType: UInt8?
  /// Bits per second; 0 if not stated.
  package private(set) var averageBitRate: UInt32 = 0
  /// The configuration for the decoder: an AudioSpecificConfig for AAC.
  package private(set) var specificInfo: [UInt8] = []

  /// Reads all valid fields.
  package init(_ bytes: Span<UInt8>) {
    guard let (tag, content) = Self.descriptor(bytes, 0..<bytes.count), tag == 3,
      content.count >= 3
    else { return }
    var place = content.lowerBound + 3
    let flags = bytes[content.lowerBound + 2]
    if flags & 0x80 != 0 { place += 2 }
    if flags & 0x40 != 0, place < content.upperBound { place += 1 + Int(bytes[place]) }
    if flags & 0x20 != 0 { place += 2 }
    guard place <= content.upperBound else { return }
    readDecoderConfig(bytes, place..<content.upperBound)
  }

  private mutating func readDecoderConfig(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    guard let (tag, content) = Self.descriptor(bytes, range), tag == 4, content.count >= 13 else {
      return
    }
    objectType = bytes[content.lowerBound]
    for place in content.lowerBound + 9..<content.lowerBound + 13 {
      averageBitRate = averageBitRate << 8 | UInt32(bytes[place])
    }
    guard
      let (next, info) = Self.descriptor(bytes, content.lowerBound + 13..<content.upperBound),
      next == 5
    else { return }
    specificInfo = info.map { bytes[$0] }
  }

  /// Reads a tag, a length of up to four groups of seven bits, and the range of the content that is
  /// present.
  private static func descriptor(
    _ bytes: Span<UInt8>, _ range: Range<Int>
  ) -> (tag: UInt8, content: Range<Int>)? {
    guard let first = range.first else { return nil }
    var place = first + 1
    var length = 0
    for _ in 0..<4 {
      guard place < range.upperBound else { return nil }
      let byte = bytes[place]
      place += 1
      length = length << 7 | Int(byte & 0x7F)
      if byte & 0x80 == 0 { break }
    }
    return (bytes[first], place..<min(range.upperBound, place + length))
  }
}
