// SPDX-License-Identifier: MIT

/// The header of a frame of an ID3v2 tag.
///
/// ```
/// 2.2: id 3, size 3
/// 2.3: id 4, size 4, flags 2
/// 2.4: id 4, size 4 of 7 bits each, flags 2
/// ```
struct ID3v2Frame: Equatable {
  /// The identifier; those of version 2.2 are mapped to those of 2.3 where there is one.
  let id: String
  /// Bytes after the header.
  var byteCount: Int64
  /// The byte count if the size has eight bits a byte, as iTunes wrote it into version 2.4; nil if that
  /// is the same or impossible.
  private(set) var plainByteCount: Int64?
  /// Bytes of the content that belong to the header: the group, and the size of the expanded data.
  private(set) var prefixByteCount = 0
  /// Whether the frame is unsynchronised by itself.
  private(set) var isUnsynchronised = false
  private(set) var isEncrypted = false
  /// Whether the content after its prefix is zlib data.
  private(set) var isCompressed = false

  static func headerBytes(version: UInt8) -> Int { version == 2 ? 6 : 10 }

  /// Reads the header at the start of `bytes`; nil at the padding and if there is none.
  init?(_ bytes: Span<UInt8>, version: UInt8, isTagUnsynchronised: Bool) {
    guard Self.isID(bytes, at: 0, version: version) else { return nil }
    let idBytes = version == 2 ? 3 : 4
    var id = ""
    for index in 0..<idBytes { id.unicodeScalars.append(Unicode.Scalar(bytes[index])) }
    if version == 2 {
      self.id = ID3v2Names.newerIDs[id] ?? id
      byteCount = Int64(bytes.bigEndian32(at: 2) & 0xFF_FFFF)
      plainByteCount = nil
      return
    }
    self.id = id
    let size = bytes.bigEndian32(at: 4)
    let flags = bytes[9]
    if version == 3 {
      byteCount = Int64(size)
      plainByteCount = nil
      isEncrypted = flags & 0x40 != 0
      isCompressed = flags & 0x80 != 0
      prefixByteCount = (flags & 0x20 != 0 ? 1 : 0) + (isCompressed ? 4 : 0)
      return
    }
    isEncrypted = flags & 0x04 != 0
    isCompressed = flags & 0x08 != 0
    isUnsynchronised = flags & 0x02 != 0 || isTagUnsynchronised
    prefixByteCount = (flags & 0x40 != 0 ? 1 : 0) + (flags & 0x01 != 0 ? 4 : 0)
    if size & 0x8080_8080 != 0 {
      byteCount = Int64(size)
      plainByteCount = nil
    } else {
      byteCount = Int64(synchsafe: size)
      plainByteCount = size < 0x80 || isUnsynchronised ? nil : Int64(size)
    }
  }

  /// Whether a frame's identifier can be here: a capital, then capitals and digits.
  static func isID(_ bytes: Span<UInt8>, at place: Int, version: UInt8) -> Bool {
    let idBytes = version == 2 ? 3 : 4
    guard bytes.count - place >= headerBytes(version: version) else { return false }
    for index in place..<place + idBytes {
      switch bytes[index] {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): continue
      case UInt8(ascii: "0")...UInt8(ascii: "9") where index > place: continue
      // Some programs write an identifier of version 2.2 and a space.
      case 0x20 where index == place + 3: continue
      default: return false
      }
    }
    return true
  }

  /// Whether a frame, the padding or the tag's end can be at `place`. A single zero easily occurs in a
  /// picture, so all bytes present must be zero.
  static func mayFollow(_ bytes: Span<UInt8>, at place: Int, version: UInt8) -> Bool {
    if isID(bytes, at: place, version: version) { return true }
    for index in place..<bytes.count where bytes[index] != 0 { return false }
    return true
  }

  /// The same frame with the size read as eight bits a byte.
  var withPlainSize: ID3v2Frame {
    var frame = withSynchsafeSize
    frame.byteCount = plainByteCount ?? byteCount
    return frame
  }

  /// The same frame with the size read by the standard.
  var withSynchsafeSize: ID3v2Frame {
    var frame = self
    frame.plainByteCount = nil
    return frame
  }

  /// The reader's treatment of a frame.
  enum Interest {
    case text, picture, none
  }

  var interest: Interest {
    if isEncrypted || byteCount <= Int64(prefixByteCount) { return .none }
    switch id {
    case "APIC": return .picture
    case "COMM", "USLT": return .text
    default: return id.hasPrefix("T") ? .text : .none
    }
  }
}

extension Int64 {
  /// Creates a number from four bytes of seven bits each, the highest first (ID3v2.4 section 6.2).
  init(synchsafe word: UInt32) {
    self = Int64(
      (word & 0x7F) | (word >> 1 & 0x3F80) | (word >> 2 & 0x1F_C000) | (word >> 3 & 0xFE0_0000))
  }
}
