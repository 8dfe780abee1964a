// SPDX-License-Identifier: MIT

/// Reads FLAC's picture structure (RFC 9639 section 8.8), from a metadata block or, base64-encoded,
/// from a Vorbis comment. Its bytes may arrive in pieces of any size. The picture itself is held only
/// if it is not larger than the tags allow.
struct FLACPictureReader {
  private static let maximumMediaTypeBytes = 256

  private enum Field: Int {
    case kind, mediaTypeLength, mediaType, textLength, text, dimensions, byteCount, bytes, finished

    var next: Field { Field(rawValue: rawValue + 1) ?? .finished }
  }

  private var field = Field.kind
  /// Bytes left in the field.
  private var left = 4
  /// The number being read, most significant byte first.
  private var number: UInt32 = 0
  private var kind: UInt8 = 0
  private var mediaType: [UInt8] = []
  private var text: [UInt8] = []
  private var byteCount = 0
  private var isKept = false
  /// All bytes of a kept picture; of others the first ones, which determine the type.
  private var bytes: [UInt8] = []

  /// Reads the structure's next bytes, and adds the picture at its end.
  mutating func read(_ bytes: Span<UInt8>, into tags: inout TagCollector) {
    var place = 0
    while place < bytes.count, field != .finished {
      let taken = min(left, bytes.count - place)
      take(bytes.extracting(place..<place + taken))
      place += taken
      left -= taken
      while left == 0, field != .finished { endField(&tags) }
    }
  }

  /// Bytes left of a picture that is not kept; nil otherwise.
  var unwantedByteCount: Int? {
    field == .bytes && !isKept && bytes.count >= AudioFilePicture.signatureBytes ? left : nil
  }

  /// Adds a picture that is not kept, without its remaining bytes.
  mutating func passUnwanted(into tags: inout TagCollector) {
    left = 0
    endField(&tags)
  }

  private mutating func take(_ piece: Span<UInt8>) {
    switch field {
    case .kind, .mediaTypeLength, .textLength, .byteCount:
      for index in 0..<piece.count { number = number << 8 | UInt32(piece[index]) }
    case .mediaType where mediaType.count + piece.count <= Self.maximumMediaTypeBytes:
      for index in 0..<piece.count { mediaType.append(piece[index]) }
    case .text where text.count + piece.count <= TagCollector.maximumTextBytes:
      for index in 0..<piece.count { text.append(piece[index]) }
    case .bytes:
      let room = isKept ? piece.count : max(0, AudioFilePicture.signatureBytes - bytes.count)
      for index in 0..<min(room, piece.count) { bytes.append(piece[index]) }
    default: break
    }
  }

  private mutating func endField(_ tags: inout TagCollector) {
    switch field {
    case .kind:
      kind = UInt8(clamping: number)
      left = 4
    case .mediaTypeLength, .textLength: left = Int(number)
    case .mediaType: left = 4
    // Width, height, depth and colours, which the picture itself states.
    case .text: left = 16
    case .dimensions: left = 4
    case .byteCount:
      byteCount = Int(number)
      isKept = byteCount <= tags.pictureByteLimit
      left = byteCount
    case .bytes:
      let stated = String(decoding: mediaType, as: UTF8.self)
      // A link is no picture.
      let found = stated == "-->" ? nil : AudioFilePicture.mediaType(of: bytes)
      tags.add(
        AudioFilePicture(
          kind: kind, mediaType: found ?? stated, text: String(decoding: text, as: UTF8.self),
          byteCount: byteCount, bytes: isKept ? bytes : []))
      bytes = []
    case .finished: return
    }
    number = 0
    field = field.next
  }
}
