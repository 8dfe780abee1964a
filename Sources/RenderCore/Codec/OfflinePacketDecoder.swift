// SPDX-License-Identifier: MIT

package import AudioModel

/// The render callback's packet decoder, for use outside the callback by the other targets of this package. It
/// decodes the same formats as the callback.
///
/// One thread at a time. Real-time: never on the render thread.
package final class OfflinePacketDecoder {
  private let decoder: PacketDecoder

  /// - Parameter firstPacket: the packet that will be decoded first.
  package init(
    _ stream: CodedStreamDescription, firstPacket: UnsafeRawBufferPointer
  ) throws(AudioConverterError) {
    decoder = unsafe try PacketDecoder(stream, firstPacket: firstPacket)
  }

  /// Decodes one packet, or a run of packets of one frame each.
  ///
  /// - Returns: interleaved samples, valid until the next call. `isDecoded` is false if they replace a packet that
  ///   could not be decoded.
  package func decode(
    _ packet: UnsafeRawBufferPointer, frameCount: Int
  ) -> (samples: UnsafePointer<Float>, frames: Int, isDecoded: Bool)? {
    guard let bytes = packet.baseAddress else { return nil }
    let output = unsafe decoder.decode(
      FilledPacket(
        bytes: bytes, byteCount: packet.count, frameCount: frameCount, trimStartFrames: 0,
        trimEndFrames: 0))
    return unsafe (output.samples, output.frames, output.isDecoded)
  }
}
