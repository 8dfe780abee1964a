// SPDX-License-Identifier: MIT

/// The raw data blocks of an ADTS frame (ISO/IEC 14496-3 section 1.A.3.2).
struct ADTSFrame {
  /// The byte ranges of the blocks to decode in the packet. Without checksums only decoding finds the boundary
  /// between two blocks, so a single part holds them all.
  let parts: [Range<Int>]

  /// - Returns: nil if the packet is no such frame. A bare block is never mistaken for one: its first element
  ///   would be the end.
  init?(_ packet: Span<UInt8>) {
    guard packet.count >= 7, packet[0] == 0xFF, packet[1] & 0xF6 == 0xF0 else { return nil }
    let hasChecksum = packet[1] & 1 == 0
    let blockCount = Int(packet[6] & 3) + 1
    let size = Int(packet[3] & 3) << 11 | Int(packet[4]) << 3 | Int(packet[5] >> 5)
    let end = min(size, packet.count)
    guard hasChecksum else {
      parts = end > 7 ? [7..<end] : []
      return
    }
    // Positions of the second and later blocks, then a checksum; with several blocks, a further checksum behind
    // each.
    let start = 7 + 2 * (blockCount - 1) + 2
    guard blockCount > 1 else {
      parts = end > start ? [start..<end] : []
      return
    }
    guard end > start else {
      parts = []
      return
    }
    var starts = [start]
    for block in 1..<blockCount {
      let place = 7 + 2 * (block - 1)
      starts.append(start + (Int(packet[place]) << 8 | Int(packet[place + 1])))
    }
    starts.append(end)
    parts = zip(starts, starts.dropFirst()).compactMap { first, next in
      next - 2 > first && next <= end ? first..<next - 2 : nil
    }
  }
}
