// SPDX-License-Identifier: MIT

/// The encoding of an ID3v2 frame's texts (ID3v2.4 section 4).
enum ID3v2Text: UInt8 {
  case latin1 = 0
  /// With a byte-order mark.
  case utf16 = 1
  case utf16BigEndian = 2
  case utf8 = 3

  /// Bytes of a NUL.
  private var terminatorBytes: Int { self == .latin1 || self == .utf8 ? 1 : 2 }

  /// Returns the end of the text that begins at `start`, and the beginning of the next one.
  func textEnd(_ bytes: ArraySlice<UInt8>, from start: Int) -> (end: Int, next: Int) {
    var place = start
    if terminatorBytes == 1 {
      while place < bytes.endIndex, bytes[place] != 0 { place += 1 }
      return (place, min(place + 1, bytes.endIndex))
    }
    while place + 1 < bytes.endIndex, bytes[place] != 0 || bytes[place + 1] != 0 { place += 2 }
    guard place + 1 < bytes.endIndex else { return (bytes.endIndex, bytes.endIndex) }
    return (place, place + 2)
  }

  /// Returns all texts, which NULs separate, without empty ones.
  func texts(_ bytes: ArraySlice<UInt8>) -> [String] {
    var texts: [String] = []
    var place = bytes.startIndex
    var isBigEndian = self == .utf16BigEndian
    while place < bytes.endIndex {
      let (end, next) = textEnd(bytes, from: place)
      let text = decoded(bytes[place..<end], isBigEndian: &isBigEndian)
      if !text.isEmpty { texts.append(text) }
      place = next
    }
    return texts
  }

  /// Decodes bytes without a NUL.
  func text(_ bytes: ArraySlice<UInt8>) -> String {
    var isBigEndian = self == .utf16BigEndian
    return decoded(bytes, isBigEndian: &isBigEndian)
  }

  /// - Parameter isBigEndian: the byte order of the previous text, which applies if this one has no
  ///   mark.
  private func decoded(_ bytes: ArraySlice<UInt8>, isBigEndian: inout Bool) -> String {
    switch self {
    case .latin1: return String(latin1: bytes)
    case .utf8: return String(decoding: bytes, as: UTF8.self)
    case .utf16, .utf16BigEndian:
      var units: [UInt16] = []
      units.reserveCapacity(bytes.count / 2)
      var place = bytes.startIndex
      while place + 1 < bytes.endIndex {
        let unit = UInt16(bytes[place]) << 8 | UInt16(bytes[place + 1])
        place += 2
        if units.isEmpty, unit == 0xFEFF || unit == 0xFFFE {
          isBigEndian = unit == 0xFEFF
        } else {
          units.append(isBigEndian ? unit : unit.byteSwapped)
        }
      }
      return String(decoding: units, as: UTF16.self)
    }
  }
}

extension String {
  /// Decodes text with one byte a character (ISO/IEC 8859-1).
  init(latin1 bytes: ArraySlice<UInt8>) {
    self = String(decoding: bytes.lazy.map { UInt16($0) }, as: UTF16.self)
  }
}
