// SPDX-License-Identifier: MIT

import AudioModel

/// The header of a box (ISO/IEC 14496-12 section 4.2):
/// ```
/// size (32) | type (32) | size (64), if the first one is 1
/// ```
struct BoxHeader {
  let type: FourCharacterCode
  /// Bytes of the header.
  let byteCount: Int
  /// The stream offsets of the box's beginning and end; the end is `Int64.max` for a box that extends
  /// to the stream's end.
  let start: Int64
  let end: Int64

  /// Bytes from the header's end to the end of the box.
  var contentBytes: Int64 { end - start - Int64(byteCount) }

  /// Bytes of the header at the start of `bytes`, of which at least eight are shown.
  static func byteCount(_ bytes: Span<UInt8>) -> Int {
    bytes.bigEndian32(at: 0) == 1 ? 16 : 8
  }

  /// Reads the box at the start of `bytes`, limited by the enclosing box; nil if its size is below its
  /// header's.
  init?(_ bytes: Span<UInt8>, at offset: Int64, limit: Int64) {
    type = FourCharacterCode(rawValue: bytes.bigEndian32(at: 4))
    byteCount = Self.byteCount(bytes)
    start = offset
    var size = UInt64(bytes.bigEndian32(at: 0))
    if size == 1 { size = bytes.bigEndian64(at: 8) }
    if size == 0 {
      end = limit
    } else {
      guard size >= UInt64(byteCount) else { return nil }
      end = size > UInt64(limit - offset) ? limit : offset + Int64(size)
    }
  }
}

/// A box whose content is being parsed.
struct OpenBox {
  /// The kind of box, which determines how its content is read.
  enum Kind {
    case movie, track, edits, media, mediaInformation, sampleTable
    case descriptions, sampleEntry, wave
    case extends, fragment, trackFragment
    case userData, metadata, keys, itemList, item
  }

  var kind: Kind
  var end: Int64

  /// The maximum nesting depth, above that of any file; deeper boxes are skipped.
  static let maximumDepth = 16
}
