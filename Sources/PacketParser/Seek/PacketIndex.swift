// SPDX-License-Identifier: MIT

import AudioModel

/// The byte offsets of parsed packets. The index stores every n-th packet and doubles n when it is
/// full, so memory is bounded whatever the stream's length.
///
/// It covers the packets from the first one on without a gap. From an entry on, the packets before the
/// wanted one are skipped.
struct PacketIndex {
  /// The most entries; above that, every second one is dropped.
  static let maximumEntries = 1 << 14

  /// Packets from one entry to the next, a power of two.
  private(set) var stride: Int64 = 1
  /// Bytes from the data offset to each entry's packet.
  private var byteOffsets: [Int64] = []
  /// The first frame of each entry's packet; empty if packets have one duration.
  private var firstFrames: [Int64] = []
  /// The number of entries.
  var entryCount: Int { byteOffsets.count }
  /// Packets covered.
  private(set) var packetCount: Int64 = 0
  /// Bytes from the data offset to the end of the last packet covered.
  private(set) var byteCount: Int64 = 0
  /// Frames of all packets covered, if packets differ in duration.
  private(set) var frameCount: Int64 = 0

  /// Adds a run of packets, as far as it continues the index. Known packets are skipped, and nothing is
  /// added after a gap.
  ///
  /// - Parameters:
  ///   - first: the first packet's number.
  ///   - byteOffset: bytes from the data offset to the run's first byte.
  ///   - descriptions: one for each packet.
  ///   - hasFrames: whether the descriptions state each packet's frames.
  mutating func add(
    first: Int64, byteOffset: Int64, _ descriptions: [AudioStreamPacketDescription],
    hasFrames: Bool = false
  ) {
    guard first >= 0, first <= packetCount, let last = descriptions.last,
      packetCount - first < Int64(descriptions.count)
    else { return }
    let known = Int(packetCount - first)
    // The next multiple of the stride, counted within the run.
    var index = known + Int((stride - packetCount % stride) % stride)
    if hasFrames {
      for place in known..<descriptions.count {
        if place == index {
          append(byteOffset + descriptions[place].startOffset, frame: frameCount)
          // The stride may have grown.
          index = place + Int(stride - (first + Int64(place)) % stride)
        }
        frameCount += Int64(descriptions[place].variableFramesInPacket)
      }
    } else {
      while index < descriptions.count {
        append(byteOffset + descriptions[index].startOffset, frame: nil)
        index += Int(stride - (first + Int64(index)) % stride)
      }
    }
    packetCount = first + Int64(descriptions.count)
    byteCount = byteOffset + last.startOffset + Int64(last.dataByteSize)
  }

  private mutating func append(_ byteOffset: Int64, frame: Int64?) {
    // The number of entries is even then, so the current packet still gets one.
    if byteOffsets.count == Self.maximumEntries { coarsen() }
    byteOffsets.append(byteOffset)
    if let frame { firstFrames.append(frame) }
  }

  private mutating func coarsen() {
    stride *= 2
    byteOffsets = Swift.stride(from: 0, to: byteOffsets.count, by: 2).map { byteOffsets[$0] }
    firstFrames = Swift.stride(from: 0, to: firstFrames.count, by: 2).map { firstFrames[$0] }
  }

  /// Returns the byte offset at which to resume reading for a packet, if it is covered.
  func target(packet: Int64) -> AudioFileStreamSeekTarget? {
    guard packet >= 0, packet < packetCount else { return nil }
    return AudioFileStreamSeekTarget(
      packet: packet, byteOffset: byteOffsets[Int(packet / stride)], isEstimated: false,
      leadingPacketCount: packet % stride)
  }

  /// Returns the last packet with an entry that begins at or before this byte, counted from the data
  /// offset.
  func entry(atByte byteOffset: Int64) -> (packet: Int64, byteOffset: Int64)? {
    guard byteOffset >= 0, byteOffset < byteCount,
      let place = lastPlace(in: byteOffsets, notAbove: byteOffset)
    else { return nil }
    return (Int64(place) * stride, byteOffsets[place])
  }

  /// Returns the last packet with an entry that begins at or before this frame.
  func entry(atFrame frame: Int64) -> (packet: Int64, byteOffset: Int64, firstFrame: Int64)? {
    guard frame >= 0, frame < frameCount, let place = lastPlace(in: firstFrames, notAbove: frame)
    else { return nil }
    return (Int64(place) * stride, byteOffsets[place], firstFrames[place])
  }

  /// Returns the entry at or before this packet, with its first frame.
  func entry(ofPacket packet: Int64) -> (packet: Int64, firstFrame: Int64)? {
    guard packet >= 0, packet < packetCount, !firstFrames.isEmpty else { return nil }
    let place = Int(packet / stride)
    return (Int64(place) * stride, firstFrames[place])
  }

  private func lastPlace(in values: [Int64], notAbove value: Int64) -> Int? {
    var low = 0
    var end = values.count
    while low < end {
      let middle = low + (end - low) / 2
      if values[middle] <= value { low = middle + 1 } else { end = middle }
    }
    return low > 0 ? low - 1 : nil
  }
}
