// SPDX-License-Identifier: MIT

import AudioModel

/// The `CHAN` chunk of an AIFF-C file: Core Audio's AudioChannelLayout, big-endian.
enum ChannelLayoutChunk {
  /// Bytes of the layout of as many channels as a file may have.
  static let maximumBytes = 12 + 20 * 1024

  /// Reads a chunk's content; nil when the layout says nothing, or is cut.
  static func layout(_ chunk: Span<UInt8>) -> AudioChannelLayout? {
    guard chunk.count >= 12 else { return nil }
    let tag = chunk.bigEndian32(at: 0)
    switch tag {
    case 0:
      let count = Int(min(chunk.bigEndian32(at: 8), 1024))
      guard count > 0, chunk.count >= 12 + 20 * count else { return nil }
      return AudioChannelLayout(
        labels: (0..<count).map { chunk.bigEndian32(at: 12 + 20 * $0) })
    case 0x10000: return AudioChannelLayout(AudioChannelBitmap(rawValue: chunk.bigEndian32(at: 4)))
    default: return AudioChannelLayout(tag: tag)
    }
  }
}
