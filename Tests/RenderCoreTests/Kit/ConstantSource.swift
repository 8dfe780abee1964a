// SPDX-License-Identifier: MIT

import AudioModel
import RenderCore
import Testing

/// Plays frames of one value from a source, in one channel at 48 kHz.
func play(_ value: Float, frames: Int = 256, _ source: consuming RenderSource) throws {
  let control = source.control
  var feed = source.feed
  let format = AudioStreamBasicDescription.linearPCM(
    sampleRate: 48000, channels: 1, bitsPerChannel: 32, flags: [.float, .packed])
  try unsafe [Float](repeating: value, count: frames).withUnsafeBytes { bytes in
    _ = try unsafe feed.beginStream(
      CodedStreamDescription(format: format), firstPacket: bytes, joinsPrevious: false)
    let metadata = PacketMetadata(
      flushSerial: 0, packetIndex: 0, firstFrame: 0, frameCount: Int32(frames), trimStartFrames: 0,
      trimEndFrames: 0, byteOffset: 0, durationNanoseconds: 1_000_000)
    #expect(unsafe feed.write(packet: bytes, metadata: metadata))
  }
  control.mode = .play
}
