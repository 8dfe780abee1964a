// SPDX-License-Identifier: MIT

import AudioModel

/// What a container parser knows of its stream; nil is unknown.
struct StreamFacts {
  var fileFormat: AudioFileTypeID?
  var dataFormat: AudioStreamBasicDescription?
  var dataOffset: Int64?
  var channelLayout: AudioChannelBitmap?
  /// Bytes of audio that the stream says it has.
  var statedByteCount: Int64?
  /// Packets that the stream says it has.
  var statedPacketCount: Int64?
  var packetTableInfo: AudioFilePacketTableInfo?
  var packetSizeUpperBound: Int?
  var freeFormatFrameByteCount: Int?
  /// Bits per second, the same in every packet so far.
  var constantBitRate: Int?
  /// Packets can be produced, and all that can be known before is known.
  var isReady = false

  /// Packets delivered, and their bytes.
  var packetsSeen: Int64 = 0
  var bytesSeen: Int64 = 0
  var largestPacketSeen = 0
  /// Packets and bytes of the whole stream, once it was parsed from its first packet to its end.
  var isWhole = false
}

extension StreamFacts {
  /// Mean bytes of the packets delivered so far, or of all if the stream says enough; nil before
  /// either.
  var averageBytesPerPacket: Double? {
    if let dataFormat, dataFormat.bytesPerPacket > 0 { return Double(dataFormat.bytesPerPacket) }
    if !isWhole, let statedByteCount, let statedPacketCount, statedPacketCount > 0 {
      return Double(statedByteCount) / Double(statedPacketCount)
    }
    return packetsSeen > 0 ? Double(bytesSeen) / Double(packetsSeen) : nil
  }
}
