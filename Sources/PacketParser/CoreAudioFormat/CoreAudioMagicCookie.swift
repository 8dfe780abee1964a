// SPDX-License-Identifier: MIT

import AudioModel

/// The magic cookie chunk, whose content depends on the encoding.
struct CoreAudioMagicCookie {
  /// More than any encoding needs.
  static let maximumBytes = 1 << 20

  /// Bytes of an ALACSpecificConfig (Apple's ALACMagicCookieDescription).
  private static let losslessConfigBytes = 24

  /// The data that a decoder needs.
  private(set) var bytes: [UInt8]
  /// Apple Lossless: the layout tag that follows the configuration.
  private(set) var layoutTag: UInt32?
  /// Apple Lossless: bits of a sample.
  private(set) var bitDepth: UInt8?

  /// - Parameter chunk: the chunk's content. Apple Lossless stores its configuration bare or in the
  ///   atoms of a QuickTime file: `frma`, `alac`, and the end. AAC stores the `esds` descriptor, which
  ///   is kept unchanged.
  init(_ chunk: Span<UInt8>, formatID: AudioFormatID) {
    bytes = (0..<chunk.count).map { chunk[$0] }
    guard formatID == .appleLossless else { return }
    var start = 0
    if chunk.has("frmaalac", at: 4) { start = 12 }
    if chunk.has("alac", at: start + 4) { start += 12 }
    guard chunk.count - start >= Self.losslessConfigBytes else { return }
    let end = start + Self.losslessConfigBytes
    bytes = Array(bytes[start..<end])
    bitDepth = bytes[5]
    if chunk.has("chan", at: end + 4), chunk.count - end >= 16 {
      layoutTag = chunk.bigEndian32(at: end + 12)
    }
  }

  /// The format flags for the bit depth of the sound before compression, for a file that omits them.
  var losslessFlags: AudioFormatFlags {
    switch bitDepth {
    case 16: AudioFormatFlags(rawValue: 1)
    case 20: AudioFormatFlags(rawValue: 2)
    case 24: AudioFormatFlags(rawValue: 3)
    case 32: AudioFormatFlags(rawValue: 4)
    default: []
    }
  }
}
