// SPDX-License-Identifier: MIT

import AudioModel

/// The storage form of an item's value, by its item and the kind stated in its data (QuickTime File
/// Format, "Well-Known Types").
struct ItemValue {
  var item: FourCharacterCode
  var kind: UInt32

  /// Returns the value as text; nil if it has no text form.
  func text(_ value: Span<UInt8>) -> String? {
    switch item {
    case "trkn", "disk":
      // Reserved (16), number (16), total (16).
      guard value.count >= 4 else { return nil }
      let number = value.bigEndian16(at: 2)
      let total = value.count >= 6 ? value.bigEndian16(at: 4) : 0
      return total > 0 ? "\(number)/\(total)" : "\(number)"
    case "gnre":
      // ID3v1's number, counted from 1.
      return value.count >= 2 ? ID3Genre.name(Int(value.bigEndian16(at: 0)) - 1) : nil
    case "tmpo": return integer(value, isSigned: false)
    case "cpil", "pgap", "pcst", "hdvd", "rtng", "stik", "akID", "egid":
      return value.count > 0 && (kind != 1 || value.count == 1) ? "\(value[0])" : nil
    case "tves", "tvsn": return value.count >= 4 ? "\(value[3])" : nil
    default: return typed(value)
    }
  }

  private func typed(_ value: Span<UInt8>) -> String? {
    switch kind {
    case 0, 1, 4: return Self.text(value)
    case 2, 5: return Self.utf16(value)
    case 3: return MacintoshRoman.text(value)
    case 21: return integer(value, isSigned: true)
    case 22: return integer(value, isSigned: false)
    case 23:
      guard value.count >= 4 else { return nil }
      return Self.decimal(Double(Float(bitPattern: value.bigEndian32(at: 0))))
    case 24:
      guard value.count >= 8 else { return nil }
      return Self.decimal(Double(bitPattern: value.bigEndian64(at: 0)))
    default: return nil
    }
  }

  private func integer(_ value: Span<UInt8>, isSigned: Bool) -> String? {
    guard (1...8).contains(value.count) else { return nil }
    var bits: UInt64 = 0
    for index in 0..<value.count { bits = bits << 8 | UInt64(value[index]) }
    guard isSigned else { return "\(bits)" }
    let unused = 64 - UInt64(value.count) * 8
    return "\(Int64(bitPattern: bits << unused) >> Int64(unused))"
  }

  /// Formats a number with six digits after the point.
  private static func decimal(_ value: Double) -> String? {
    guard abs(value) < 1e12 else { return nil }
    let millionths = Int64((abs(value) * 1e6).rounded())
    let fraction = String(millionths % 1_000_000)
    let zeros = String(repeating: "0", count: 6 - fraction.utf8.count)
    return "\(value < 0 ? "-" : "")\(millionths / 1_000_000).\(zeros)\(fraction)"
  }

  /// Decodes UTF-8 up to a zero.
  static func text(_ value: Span<UInt8>) -> String {
    String(decoding: value.bytes.prefix { $0 != 0 }, as: UTF8.self)
  }

  private static func utf16(_ value: Span<UInt8>) -> String {
    var units: [UInt16] = []
    for place in stride(from: 0, to: value.count - 1, by: 2) {
      let unit = value.bigEndian16(at: place)
      if unit == 0 { break }
      units.append(unit)
    }
    if units.first == 0xFFFE { units = units.map(\.byteSwapped) }
    if units.first == 0xFEFF { units.removeFirst() }
    return String(decoding: units, as: UTF16.self)
  }
}

/// The Macintosh character set of older QuickTime files.
enum MacintoshRoman {
  static func text(_ value: Span<UInt8>) -> String {
    var text = String.UnicodeScalarView()
    for index in 0..<value.count {
      let byte = value[index]
      if byte == 0 { break }
      text.append(byte < 0x80 ? Unicode.Scalar(byte) : upper[Int(byte) - 0x80])
    }
    return String(text)
  }

  /// The characters from 80 hexadecimal on.
  private static let upper = Array(
    ("ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø"
      + "¿¡¬√ƒ≈∆«»…\u{A0}ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\u{F8FF}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ")
      .unicodeScalars)
}
