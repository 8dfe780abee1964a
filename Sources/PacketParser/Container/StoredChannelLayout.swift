// SPDX-License-Identifier: MIT

import AudioModel

/// Core Audio's AudioChannelLayout as stored in files, big-endian and without padding: the chunk `CHAN`
/// of AIFF-C, `chan` of a Core Audio file, and, after a version, the box `chan` of QuickTime.
enum StoredChannelLayout {
  /// Bytes before the descriptions.
  private static let headerBytes = 12
  private static let descriptionBytes = 20
  /// Bytes of a layout with the most channels that a file may have.
  static let maximumBytes = headerBytes + 1024 * descriptionBytes

  /// Reads a layout's speakers; nil if it names none or is incomplete.
  static func read(_ bytes: Span<UInt8>) -> AudioChannelLayout? {
    guard bytes.count >= headerBytes else { return nil }
    switch bytes.bigEndian32(at: 0) {
    case 0:
      let count = Int(bytes.bigEndian32(at: 8))
      guard count > 0, count <= (bytes.count - headerBytes) / descriptionBytes else { return nil }
      return AudioChannelLayout(
        labels: (0..<count).map { bytes.bigEndian32(at: headerBytes + $0 * descriptionBytes) })
    case 0x10000:
      return AudioChannelLayout(AudioChannelBitmap(rawValue: bytes.bigEndian32(at: 4)))
    case let tag:
      return AudioChannelLayout(tag: tag)
    }
  }
}
