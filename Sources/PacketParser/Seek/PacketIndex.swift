// SPDX-License-Identifier: MIT

import AudioModel

/// Where packets lie that were seen: one in so many, fewer the more there are, so that its memory has
/// a bound whatever the stream's length.
///
/// It covers the packets from the first one on without a hole. From an entry on, the packets up to
/// the one that is wanted are passed over.
struct PacketIndex {
  /// Entries at most; then every second one is dropped.
  static let maximumEntries = 1 << 14

  /// Packets from one entry to the next, a power of two.
  private(set) var stride: Int64 = 1
  /// Bytes from the data offset to each entry's packet.
  private var byteOffsets: [Int64] = []
  /// The frame that each entry's packet begins with; empty when packets have one duration.
  private var firstFrames: [Int64] = []
  /// Places that are remembered.
  var entryCount: Int { byteOffsets.count }
  /// Packets covered.
  private(set) var packetCount: Int64 = 0
  /// Bytes from the data offset to the end of the last packet covered.
  private(set) var byteCount: Int64 = 0
  /// Frames of all packets covered, when packets differ in duration.
  private(set) var frameCount: Int64 = 0

  /// Takes in a run of packets, as far as it continues the index: what is known is passed over, and
  /// nothing is taken behind a hole.
  ///
  /// - Parameters:
  ///   - first: the first packet's number.
  ///   - byteOffset: bytes from the data offset to the run's first byte.
  ///   - descriptions: one for each packet.
  ///   - hasFrames: the descriptions tell each packet's frames.
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
    // The number of entries is even then, so that the packet at hand still gets one.
    if byteOffsets.count == Self.maximumEntries { coarsen() }
    byteOffsets.append(byteOffset)
    if let frame { firstFrames.append(frame) }
  }

  private mutating func coarsen() {
    stride *= 2
    byteOffsets = Swift.stride(from: 0, to: byteOffsets.count, by: 2).map { byteOffsets[$0] }
    firstFrames = Swift.stride(from: 0, to: firstFrames.count, by: 2).map { firstFrames[$0] }
  }

  /// Where to read on for a packet, if it is covered.
  func target(packet: Int64) -> AudioFileStreamSeekTarget? {
    guard packet >= 0, packet < packetCount else { return nil }
    return AudioFileStreamSeekTarget(
      packet: packet, byteOffset: byteOffsets[Int(packet / stride)], isEstimated: false,
      leadingPacketCount: packet % stride)
  }

  /// The last packet with an entry that begins at this byte, counted from the data offset, or before.
  func entry(atByte byteOffset: Int64) -> (packet: Int64, byteOffset: Int64)? {
    guard byteOffset >= 0, byteOffset < byteCount,
      let place = lastPlace(in: byteOffsets, notAbove: byteOffset)
    else { return nil }
    return (Int64(place) * stride, byteOffsets[place])
  }

  /// The last packet with an entry that begins with this frame or before.
  func entry(atFrame frame: Int64) -> (packet: Int64, byteOffset: Int64, firstFrame: Int64)? {
    guard frame >= 0, frame < frameCount, let place = lastPlace(in: firstFrames, notAbove: frame)
    else { return nil }
    return (Int64(place) * stride, byteOffsets[place], firstFrames[place])
  }

  /// The frame that the entry at or before this packet begins with.
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
