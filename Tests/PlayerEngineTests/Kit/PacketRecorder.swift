// SPDX-License-Identifier: MIT

import AudioModel
import PacketParser
import PlayerEngine

/// Listens to a parser and keeps its packets' bytes, one behind the other.
struct PacketRecorder: StreamDriverListener {
  /// All packets.
  var bytes: [UInt8] = []
  /// The byte offsets in the stream at which runs of packets began.
  var offsets: [Int64] = []
  var packetCount = 0

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, found property: AudioFileStreamPropertyID
  ) {}

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, produced packets: AudioFileStreamPackets,
    bytes: Span<UInt8>, descriptions: Span<AudioStreamPacketDescription>
  ) {
    offsets.append(packets.byteOffset)
    packetCount += packets.packetCount
    for index in bytes.indices { self.bytes.append(bytes[index]) }
  }
}
