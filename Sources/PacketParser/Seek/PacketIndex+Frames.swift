// SPDX-License-Identifier: MIT

/// Converts frames to packets and back for packets that differ in duration. Packets between two entries
/// are assumed to have the same duration.
extension PacketIndex {
  /// Returns the packet that holds a frame, if it is covered.
  func packet(atFrame frame: Int64) -> AudioFramePacketTranslation? {
    guard let entry = entry(atFrame: frame) else { return nil }
    let span = span(behind: entry.packet, entry.firstFrame)
    let ahead = frame - entry.firstFrame
    let packets =
      span.frames > 0 ? min(span.packets - 1, ahead * span.packets / span.frames) : 0
    let start = span.packets > 0 ? packets * span.frames / span.packets : 0
    return AudioFramePacketTranslation(
      frame: frame, packet: entry.packet + packets, frameOffsetInPacket: ahead - start)
  }

  /// Returns the first frame of a packet, if it is covered.
  func firstFrame(ofPacket packet: Int64) -> Int64? {
    guard let entry = entry(ofPacket: packet) else { return nil }
    let span = span(behind: entry.packet, entry.firstFrame)
    return entry.firstFrame + (packet - entry.packet) * span.frames / span.packets
  }

  /// Returns the packets and frames from an entry to the next one, or to the end.
  private func span(behind packet: Int64, _ firstFrame: Int64) -> (packets: Int64, frames: Int64) {
    if let next = entry(ofPacket: packet + stride) {
      return (next.packet - packet, next.firstFrame - firstFrame)
    }
    return (packetCount - packet, frameCount - firstFrame)
  }
}
