// SPDX-License-Identifier: MIT

import AudioModel

/// The channel layout chunk: an AudioChannelLayout as Core Audio has it, without padding.
enum CoreAudioChannelLayout {
  /// Bytes before the descriptions.
  static let headerBytes = 12
  /// Bytes of a description.
  private static let descriptionBytes = 20
  /// Bytes that are looked at.
  static let maximumBytes = headerBytes + 1024 * descriptionBytes

  /// The layout in a chunk; nil if it does not name a speaker for each of so many channels.
  static func read(_ chunk: Span<UInt8>, channels: UInt32) -> AudioChannelLayout? {
    guard chunk.count >= headerBytes else { return nil }
    let layout: AudioChannelLayout?
    switch chunk.bigEndian32(at: 0) {
    case 0:
      let count = Int(chunk.bigEndian32(at: 8))
      guard count <= (chunk.count - headerBytes) / descriptionBytes else { return nil }
      layout = AudioChannelLayout(
        labels: (0..<count).map { chunk.bigEndian32(at: headerBytes + $0 * descriptionBytes) })
    case 0x10000:
      layout = AudioChannelLayout(AudioChannelBitmap(rawValue: chunk.bigEndian32(at: 4)))
    case let tag:
      layout = AudioChannelLayout(tag: tag)
    }
    guard let layout, layout.labels.count == Int(channels) else { return nil }
    return layout
  }
}
