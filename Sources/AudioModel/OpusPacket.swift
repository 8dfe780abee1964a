// SPDX-License-Identifier: MIT

/// The duration of an Opus packet by its own header (RFC 6716 section 3.1).
package enum OpusPacket {
  /// The most frames of a packet: 120 ms at 48 kHz.
  package static let maximumFrames = 5760

  /// Returns the frames that a packet decodes to, by its first byte and, if that announces one, by the
  /// count of parts in the low six bits of the second; nil for an invalid packet.
  package static func frames(_ packet: Span<UInt8>) -> Int? {
    guard let first = packet.count > 0 ? packet[0] : nil else { return nil }
    let configuration = Int(first >> 3)
    let frames =
      switch configuration {
      case 0..<12: [480, 960, 1920, 2880][configuration & 3]
      case 12..<16: [480, 960][configuration & 1]
      default: [120, 240, 480, 960][configuration & 3]
      }
    let count: Int
    switch first & 3 {
    case 0: count = 1
    case 1, 2: count = 2
    default:
      guard packet.count > 1 else { return nil }
      count = Int(packet[1] & 0x3F)
    }
    guard count > 0, frames * count <= maximumFrames else { return nil }
    return frames * count
  }
}
