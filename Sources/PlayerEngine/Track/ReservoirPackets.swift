// SPDX-License-Identifier: MIT

internal import AudioModel
internal import PacketParser
internal import RenderCore

/// The last packets of MPEG layer III before the next one. If the stream changes its channels, the bit reservoir
/// continues, so the decoder of the new format has to decode them first.
struct ReservoirPackets {
  /// The packets in a reservoir of 511 bytes at the smallest packet size; at lower rates it reaches back 255 bytes.
  private static let maximumCount = 25
  /// Bytes of the reservoir that packets may use.
  private static let reservoirBytes = 511
  /// Bytes of a header and the longest side information, which are not part of the reservoir.
  private static let overheadBytes = 38

  struct Packet {
    var bytes: [UInt8]
    var metadata: PacketMetadata
  }

  /// Oldest first.
  private var packets: [Packet] = []
  /// The decoder has to decode them before the next packet.
  private var isLeading = false

  static func areNeeded(for format: AudioStreamBasicDescription) -> Bool {
    format.formatID == .mpegLayer3
  }

  /// Notes a format after another one: the packets precede the next one if its decoder can use them.
  mutating func noteFormat(
    from last: AudioStreamBasicDescription?, to format: AudioStreamBasicDescription
  ) {
    isLeading =
      Self.areNeeded(for: format) && last?.formatID == format.formatID
      && last?.sampleRate == format.sampleRate
      && last?.channelsPerFrame != format.channelsPerFrame
    if !isLeading { packets.removeAll() }
  }

  /// Returns the packets to decode before the next one, if any. All their frames are trimmed.
  mutating func take() -> [Packet] {
    guard isLeading else { return [] }
    isLeading = false
    return packets
  }

  /// Keeps the last ones of a run of packets: one for the overlap of the filter bank, and those whose bits that one
  /// uses.
  ///
  /// - Parameters:
  ///   - nextFrame: the frame after them.
  ///   - framesPerPacket: frames of each.
  mutating func remember(
    _ descriptions: Span<AudioStreamPacketDescription>, _ bytes: Span<UInt8>,
    _ run: AudioFileStreamPackets, nextFrame: Int64, framesPerPacket: Int32, flushSerial: UInt32
  ) {
    var first = descriptions.count - 1
    var reservoir = 0
    while first > 0, reservoir < Self.reservoirBytes,
      descriptions.count - first < Self.maximumCount
    {
      first -= 1
      reservoir += max(0, Int(descriptions[first].dataByteSize) - Self.overheadBytes)
    }
    let kept = max(0, Self.maximumCount - (descriptions.count - first))
    let isEnough = reservoir >= Self.reservoirBytes
    packets.removeFirst(isEnough ? packets.count : max(0, packets.count - kept))
    for index in max(0, first)..<descriptions.count {
      let description = descriptions[index]
      let start = Int(description.startOffset)
      let packet = bytes.extracting(start..<start + Int(description.dataByteSize))
      let behind = Int64(descriptions.count - index)
      packets.append(
        Packet(
          bytes: unsafe packet.withUnsafeBufferPointer { unsafe [UInt8]($0) },
          metadata: PacketMetadata(
            flushSerial: flushSerial, packetIndex: run.firstPacketIndex + Int64(index),
            firstFrame: nextFrame - behind * Int64(framesPerPacket),
            frameCount: framesPerPacket, trimStartFrames: framesPerPacket, trimEndFrames: 0,
            byteOffset: run.byteOffset + description.startOffset, durationNanoseconds: 0)))
    }
  }
}
