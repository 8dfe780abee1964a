// SPDX-License-Identifier: MIT

/// A packet behind the last that is heard.
struct PaddingPacket {
  let bytes: [UInt8]
  let history: PacketHistory
}

extension SourceFeed {
  /// Packets of which nothing is heard that a decoder still hears before sound that follows: more than
  /// any encoder pads with, few enough to be decoded in one cycle.
  static let heardPaddingPackets = 8

  /// Keeps a packet of which nothing is heard until it is known whether sound follows it: where the
  /// stream ends it is never decoded, because the render thread would have to decode all of them in
  /// one cycle, and a file may claim any number.
  ///
  /// - Returns: false for any other packet.
  mutating func holdPadding(_ packet: UnsafeRawBufferPointer, _ history: PacketHistory) -> Bool {
    guard history.isInaudible, history.mark == 0, packet.count > 0 else { return false }
    if padding.count == Self.heardPaddingPackets { padding.removeFirst() }
    padding.append(unsafe PaddingPacket(bytes: [UInt8](packet), history: history))
    return true
  }

  /// Puts what was kept into the ring, because sound follows.
  ///
  /// - Returns: false when the ring has no room for all of it now.
  mutating func writePadding() -> Bool {
    while let next = padding.first {
      let isWritten = unsafe next.bytes.withUnsafeBytes { bytes in
        unsafe producer.write(packet: bytes, history: next.history)
      }
      guard isWritten else { return false }
      padding.removeFirst()
    }
    return true
  }
}
