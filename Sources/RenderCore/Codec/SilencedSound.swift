// SPDX-License-Identifier: MIT

/// A check for sound that libmpg123 replaces by zeros in a damaged packet: it returns no error for that.
///
/// libmpg123 abandons a packet at impossible side information or Huffman codes, and fills the rest of the packet
/// with zeros. If the bit reservoir holds fewer bytes than a packet of layer III refers to, libmpg123 decodes
/// silence instead. This type compares the output with the packet (ISO/IEC 11172-3, sections 2.4.1.7 and 2.4.3.4):
///
/// - The synthesis filter remembers 15 slots of 32 frames. A granule of zeros cannot follow a slot with sound,
///   whatever was encoded.
/// - A granule of long blocks that states pairs of values (`big_values`) and a code for them is not zero, also after
///   silence. Code 0 has zeros only. In a granule of short blocks, the first two may be silent, and the next granule has the third.
/// - After a packet whose main data is in the reservoir, the main data of each packet is.
/// - A packet of layer I or II that ends in zeros is checked with ``MPEGAudioAllocation``.
///
/// Damage that changes codes into other possible codes cannot be found: no checksum covers them.
///
/// Real-time: safe.
struct SilencedSound {
  /// Whether the last slot of the last decoded granule is not zero.
  private var holdsSound = false
  /// Bytes of main data in the packets so far, as far back as a packet can refer.
  private var reservoirByteCount = 0
  /// Whether some packet's main data was complete. At first it may not be, in a stream cut out of another.
  private var isReservoirComplete = false

  private static var slotFrames: Int { @_noLocks get { 32 } }
  private static var granuleFrames: Int { @_noLocks get { 576 } }

  /// The offset and size of the side information, from the four bytes of the header.
  private struct Layout {
    let isMPEG1: Bool
    let channels: Int
    let firstByte: Int
    let byteCount: Int

    /// Nil for a packet of another layer.
    @_noLocks
    init?(_ packet: UnsafeRawPointer, byteCount packetBytes: Int) {
      guard packetBytes >= 4 else { return nil }
      let second = unsafe packet.load(fromByteOffset: 1, as: UInt8.self)
      guard second & 0b110 == 0b010 else { return nil }
      isMPEG1 = second & 0b11000 == 0b11000
      channels = unsafe packet.load(fromByteOffset: 3, as: UInt8.self) >> 6 == 3 ? 1 : 2
      firstByte = second & 1 == 0 ? 6 : 4
      byteCount =
        switch (isMPEG1, channels) {
        case (true, 2): 32
        case (false, 1): 9
        default: 17
        }
      guard packetBytes >= firstByte + byteCount else { return nil }
    }
  }

  /// Restarts the check, with the decoder.
  @_noLocks
  mutating func reset() {
    self = SilencedSound()
  }

  /// Returns whether libmpg123 replaced no sound of a decoded packet. Each packet must be passed, in order.
  ///
  /// - Parameters:
  ///   - samples: the decoded packet, interleaved.
  ///   - channels: the channels of `samples`.
  @_noLocks
  mutating func isWhole(
    _ packet: UnsafeRawPointer, byteCount: Int, samples: UnsafePointer<Float>, frames: Int,
    channels: Int
  ) -> Bool {
    guard let layout = unsafe Layout(packet, byteCount: byteCount) else {
      let slot = min(frames, Self.slotFrames) * channels
      guard unsafe Self.isZero(samples + (frames * channels - slot), count: slot),
        let allocation = unsafe MPEGAudioAllocation(packet, byteCount: byteCount)
      else { return true }
      return !allocation.exceedsPacket()
    }
    let bits = unsafe packet + layout.firstByte
    let isReservoirShort = unsafe takeFromReservoir(bits, layout, packetBytes: byteCount)
    var isWhole = !(isReservoirShort && isReservoirComplete)
    if !isReservoirShort { isReservoirComplete = true }
    var granule = 0
    while (granule + 1) * Self.granuleFrames <= frames {
      let start = unsafe samples + granule * Self.granuleFrames * channels
      if unsafe !Self.isZero(start, count: Self.granuleFrames * channels) {
        let slot = (Self.granuleFrames - Self.slotFrames) * channels
        holdsSound = unsafe !Self.isZero(start + slot, count: Self.slotFrames * channels)
      } else if holdsSound {
        isWhole = false
      } else if !isReservoirShort, layout.channels == channels {
        // Two channels that become one may cancel each other.
        if unsafe Self.hasValues(bits, layout, granule: granule) { isWhole = false }
      }
      granule += 1
    }
    return isWhole
  }

  /// - Returns: whether the packet's main data begins before the start of the reservoir.
  @_noLocks
  private mutating func takeFromReservoir(
    _ bits: UnsafeRawPointer, _ layout: Layout, packetBytes: Int
  ) -> Bool {
    let mainDataBegin = unsafe Self.read(bits, at: 0, count: layout.isMPEG1 ? 9 : 8)
    let isShort = mainDataBegin > reservoirByteCount
    let mainBytes = packetBytes - layout.firstByte - layout.byteCount
    reservoirByteCount = min(reservoirByteCount + mainBytes, layout.isMPEG1 ? 511 : 255)
    return isShort
  }

  /// Returns whether a channel of the granule has pairs of values in long blocks.
  @_noLocks
  private static func hasValues(
    _ bits: UnsafeRawPointer, _ layout: Layout, granule: Int
  ) -> Bool {
    let isMono = layout.channels == 1
    let head =
      layout.isMPEG1 ? 9 + (isMono ? 5 : 3) + 4 * layout.channels : 8 + (isMono ? 1 : 2)
    let perChannel = layout.isMPEG1 ? 59 : 63
    for channel in 0..<layout.channels {
      let start = head + (granule * layout.channels + channel) * perChannel
      let blocks = start + (layout.isMPEG1 ? 33 : 38)
      // The flag of window switching, then the block type.
      let type = unsafe read(bits, at: blocks, count: 3)
      if type == 0b110 { continue }
      // Two codes of five bits behind the flag of mixed blocks, or three codes.
      let codes =
        if type & 0b100 != 0 {
          unsafe read(bits, at: blocks + 4, count: 5) | read(bits, at: blocks + 9, count: 5)
        } else {
          unsafe read(bits, at: blocks + 1, count: 8) | read(bits, at: blocks + 9, count: 7)
        }
      if codes != 0, unsafe read(bits, at: start + 12, count: 9) > 0 { return true }
    }
    return false
  }

  /// Returns an unsigned number of at most nine bits.
  @_noLocks
  private static func read(_ bits: UnsafeRawPointer, at place: Int, count: Int) -> Int {
    let high = unsafe Int(bits.load(fromByteOffset: place >> 3, as: UInt8.self))
    let low = unsafe Int(bits.load(fromByteOffset: place >> 3 + 1, as: UInt8.self))
    return (high << 8 | low) >> (16 - place & 7 - count) & (1 << count - 1)
  }

  @_noLocks
  private static func isZero(_ samples: UnsafePointer<Float>, count: Int) -> Bool {
    var index = 0
    while index < count {
      if unsafe samples[index] != 0 { return false }
      index += 1
    }
    return true
  }
}
