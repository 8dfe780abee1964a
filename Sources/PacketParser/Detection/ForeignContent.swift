// SPDX-License-Identifier: MIT

/// Unplayable content that is recognised so that the error can name it.
enum ForeignContent: Equatable {
  case html, xml, text, playlist
  case jpeg, png, gif, pdf, zip, gzip
  case bigEndianWave, riff, iff, ac3, amr
  case matroska, windowsMedia, midi

  /// Bytes that are examined.
  static let signatureBytes = 64

  /// Content that its first bytes identify with certainty. MPEG audio may begin with anything if it is
  /// joined midway, but not with these by accident.
  static func certain(_ bytes: Span<UInt8>) -> ForeignContent? {
    if bytes.has("FORM", at: 0), bytes.count >= 12 { return .iff }
    if bytes.has("RIFX", at: 0) { return .bigEndianWave }
    if bytes.has("RIFF", at: 0), !bytes.has("WAVE", at: 8), bytes.count >= 12 { return .riff }
    if bytes.has("#!AMR", at: 0) { return .amr }
    if bytes.has("#EXTM3U", at: 0) || bytes.has("[playlist]", at: 0) { return .playlist }
    if isPNG(bytes) { return .png }
    if bytes.has("GIF8", at: 0) { return .gif }
    if bytes.has("%PDF-", at: 0) { return .pdf }
    if bytes.has("MThd", at: 0) { return .midi }
    if bytes.count >= 8 {
      switch bytes.bigEndian32(at: 0) {
      case 0x1A45_DFA3: return .matroska
      case 0x3026_B275 where bytes.bigEndian32(at: 4) == 0x8E66_CF11: return .windowsMedia
      default: break
      }
    }
    return isHTML(bytes) ? .html : nil
  }

  /// Content to name if no audio was found.
  static func suspected(_ bytes: Span<UInt8>) -> ForeignContent? {
    guard bytes.count >= 3 else { return isText(bytes) ? .text : nil }
    if bytes[0] == 0xFF, bytes[1] == 0xD8, bytes[2] == 0xFF { return .jpeg }
    if bytes[0] == 0x1F, bytes[1] == 0x8B { return .gzip }
    if bytes[0] == 0x0B, bytes[1] == 0x77 { return .ac3 }
    if bytes[0] == UInt8(ascii: "P"), bytes[1] == UInt8(ascii: "K"), bytes[2] == 3 { return .zip }
    guard isText(bytes) else { return nil }
    let start = textStart(bytes)
    return start < bytes.count && bytes[start] == UInt8(ascii: "<") ? .xml : .text
  }

  private static func isPNG(_ bytes: Span<UInt8>) -> Bool {
    bytes.has("PNG\r\n", at: 1) && bytes[0] == 0x89
  }

  /// Returns the offset after a byte-order mark and white space.
  private static func textStart(_ bytes: Span<UInt8>) -> Int {
    var place = bytes.has("\u{FEFF}", at: 0) ? 3 : 0
    while place < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[place]) { place += 1 }
    return place
  }

  private static func isHTML(_ bytes: Span<UInt8>) -> Bool {
    let start = textStart(bytes)
    for opening in ["<!doctype html", "<html", "<head", "<body"] {
      guard bytes.count - start >= opening.utf8.count else { continue }
      var place = start
      let matches = opening.utf8.allSatisfy { character in
        defer { place += 1 }
        let byte = bytes[place]
        return ((0x41...0x5A).contains(byte) ? byte | 0x20 : byte) == character
      }
      if matches { return true }
    }
    return false
  }

  /// Whether the bytes are text: no control characters except white space, and no byte that UTF-8
  /// excludes.
  private static func isText(_ bytes: Span<UInt8>) -> Bool {
    for index in 0..<bytes.count {
      switch bytes[index] {
      case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0x80...0xBF, 0xC2...0xF4: continue
      default: return false
      }
    }
    return bytes.count > 0
  }

  /// Returns the error that names the content.
  func error(at offset: Int64) -> AudioFileStreamError {
    AudioFileStreamError(.unsupportedFileType, at: offset, message)
  }

  private var message: String {
    switch self {
    case .html: "this looks like an HTML page, not audio: check the address"
    case .xml: "this looks like an XML document, not audio: check the address"
    case .text: "this looks like a text file, not audio"
    case .playlist: "this is a playlist, not audio: open one of the addresses in it"
    case .jpeg: "this is a JPEG image, not audio"
    case .png: "this is a PNG image, not audio"
    case .gif: "this is a GIF image, not audio"
    case .pdf: "this is a PDF document, not audio"
    case .zip: "this is a ZIP archive, not audio: unpack it first"
    case .gzip: "this is gzip-compressed data, not audio: unpack it first"
    case .midi: "this is a MIDI file: it holds notes, not sound"
    case .iff: "this is an IFF file of another kind than AIFF"
    case .bigEndianWave: "this is a big-endian WAVE file (RIFX), which is not supported"
    case .riff: "this is a RIFF file of another kind than WAVE"
    case .ac3: "this looks like AC-3, which is not supported"
    case .amr: "this is an AMR file, which is not supported"
    case .matroska: "this is a Matroska or WebM file, which is not supported"
    case .windowsMedia: "this is a Windows Media file, which is not supported"
    }
  }
}
