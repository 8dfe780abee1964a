// SPDX-License-Identifier: MIT

/// A fully trimmed packet, and its metadata.
struct PaddingPacket {
  let bytes: [UInt8]
  let metadata: PacketMetadata
}

extension SourceFeed {
  /// Fully trimmed packets that a decoder still decodes before the sound that follows: more than any encoder pads with,
  /// few enough to be decoded in one cycle.
  static let heardPaddingPackets = 8

  /// Keeps a fully trimmed packet until sound follows it. If the stream ends there, the packet is never decoded: the
  /// render thread would have to decode all such packets in one cycle, and a file may claim any number.
  ///
  /// - Returns: false for any other packet.
  mutating func holdPadding(_ packet: UnsafeRawBufferPointer, _ metadata: PacketMetadata) -> Bool {
    guard metadata.isInaudible, metadata.mark == 0, packet.count > 0 else { return false }
    if padding.count == Self.heardPaddingPackets { padding.removeFirst() }
    padding.append(unsafe PaddingPacket(bytes: [UInt8](packet), metadata: metadata))
    return true
  }

  /// Writes the kept packets to the ring, because sound follows.
  ///
  /// - Returns: false if the ring has no room for all of them now.
  mutating func writePadding() -> Bool {
    while let next = padding.first {
      let isWritten = unsafe next.bytes.withUnsafeBytes { bytes in
        unsafe producer.write(packet: bytes, metadata: next.metadata)
      }
      guard isWritten else { return false }
      padding.removeFirst()
    }
    return true
  }
}
