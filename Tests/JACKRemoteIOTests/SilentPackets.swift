// SPDX-License-Identifier: MIT

import AudioModel
import RenderCore
import Testing

/// Feeds a source with silence in packets of 10 ms.
struct SilentPackets: ~Copyable {
  private var feed: SourceFeed
  private var packets: Int64 = 0
  private let samples = [Float](repeating: 0, count: 2 * frameCount)
  private static let frameCount = 480

  init(_ feed: consuming SourceFeed) throws {
    self.feed = feed
    let format = AudioStreamBasicDescription.linearPCM(
      sampleRate: 48000, channels: 2, bitsPerChannel: 32, flags: [.float, .packed])
    let stream = try unsafe samples.withUnsafeBytes { bytes in
      try unsafe self.feed.beginStream(
        CodedStreamDescription(format: format), firstPacket: bytes, joinsPrevious: false)
    }
    try #require(stream != nil)
  }

  /// Writes the next packet.
  mutating func write() throws {
    let metadata = PacketMetadata(
      flushSerial: 0, packetIndex: packets, firstFrame: packets * Int64(Self.frameCount),
      frameCount: Int32(Self.frameCount), trimStartFrames: 0, trimEndFrames: 0,
      byteOffset: packets * 8 * Int64(Self.frameCount), durationNanoseconds: 10_000_000)
    packets += 1
    let isTaken = unsafe samples.withUnsafeBytes { bytes in
      unsafe feed.write(packet: bytes, metadata: metadata)
    }
    try #require(isTaken)
  }
}
