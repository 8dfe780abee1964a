// SPDX-License-Identifier: MIT

import AudioModel

@testable import RenderCore

/// The samples decoded from a packet, or from a run of packets.
struct DecodedPacket {
  var samples: [Float]
  var isDecoded: Bool
}

/// Decodes packets of a stream, one after the other, with one decoder.
func decode(
  _ format: AudioStreamBasicDescription, _ packets: [[UInt8]], frames: Int
) throws -> [DecodedPacket] {
  let none = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
  let decoder = unsafe try PacketDecoder(CodedStreamDescription(format: format), firstPacket: none)
  return packets.map { packet in
    unsafe packet.withUnsafeBytes { bytes in
      let output = unsafe decoder.decode(
        FilledPacket(
          bytes: bytes.baseAddress!, byteCount: bytes.count, frameCount: frames,
          trimStartFrames: 0, trimEndFrames: 0))
      let count = output.frames * Int(format.channelsPerFrame)
      return DecodedPacket(
        samples: (0..<count).map { unsafe output.samples[$0] }, isDecoded: output.isDecoded)
    }
  }
}

extension AudioStreamBasicDescription {
  /// Returns the format of A-law, mu-law or an ADPCM with packets of one size.
  static func constant(
    _ formatID: AudioFormatID, channels: UInt32, bytes: UInt32, frames: UInt32
  ) -> AudioStreamBasicDescription {
    AudioStreamBasicDescription(
      sampleRate: 44100, formatID: formatID, bytesPerPacket: bytes, framesPerPacket: frames,
      bytesPerFrame: frames == 1 ? bytes : 0, channelsPerFrame: channels)
  }
}
