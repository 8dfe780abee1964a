// SPDX-License-Identifier: MIT

import AudioModel

/// Packets to frames and bytes, and back: `'pkfr'`, `'frpk'`, `'pkby'` and `'bypk'`. Frames count from
/// the stream's first, priming frames included; bytes from ``dataOffset``.
extension AudioFileStream {
  /// The first frame of a packet: `'pkfr'`.
  ///
  /// - Throws: `more` before the audio is reached, `pck?` for a packet that does not exist, `unk?` if
  ///   packets differ in duration and this one was not parsed.
  public func firstFrame(ofPacket packet: Int64) throws(AudioFileStreamError) -> Int64 {
    try checkSeekable(packet: packet)
    let framesPerPacket = Int64(facts.dataFormat?.framesPerPacket ?? 0)
    if framesPerPacket > 0 { return packet * framesPerPacket }
    if packet == 0 { return 0 }
    return try known(
      parser.firstFrame(ofPacket: packet), "which frame packet \(packet) begins with")
  }

  /// The packet that holds a frame: `'frpk'`.
  ///
  /// - Throws: `more` before the audio is reached, `pck?` for a frame that no packet holds, `unk?` if
  ///   packets differ in duration and the frame's packet was not parsed.
  public func packet(
    containingFrame frame: Int64
  ) throws(AudioFileStreamError) -> AudioFramePacketTranslation {
    try checkSeekable(packet: 0)
    let framesPerPacket = Int64(facts.dataFormat?.framesPerPacket ?? 0)
    guard frame >= 0 else {
      throw AudioFileStreamError(.invalidPacketOffset, at: position, "no frame is below zero")
    }
    if framesPerPacket > 0 {
      let packet = frame / framesPerPacket
      try checkSeekable(packet: packet)
      return AudioFramePacketTranslation(
        frame: frame, packet: packet, frameOffsetInPacket: frame % framesPerPacket)
    }
    return try known(parser.packet(atFrame: frame), "which packet holds frame \(frame)")
  }

  /// The first byte of a packet: `'pkby'`. The offset of ``seekTarget(packet:)`` plus the leading
  /// packets; an estimate if there are any.
  ///
  /// - Throws: `more` before the audio is reached, `pck?` for a packet that does not exist.
  public func byte(
    ofPacket packet: Int64
  ) throws(AudioFileStreamError) -> AudioBytePacketTranslation {
    let target = try seekTarget(packet: packet)
    let leading = Double(target.leadingPacketCount) * (facts.averageBytesPerPacket ?? 0)
    return AudioBytePacketTranslation(
      byte: target.byteOffset + Int64(leading), packet: packet, byteOffsetInPacket: 0,
      isEstimated: target.isEstimated || target.leadingPacketCount > 0)
  }

  /// The packet that holds a byte: `'bypk'`.
  ///
  /// - Throws: `more` before the audio is reached, `pck?` for a byte outside of the audio, `unk?` if
  ///   the packet is unknown.
  public func packet(
    containingByte byteOffset: Int64
  ) throws(AudioFileStreamError) -> AudioBytePacketTranslation {
    try checkSeekable(packet: 0)
    guard byteOffset >= 0, byteOffset < facts.audioExtent ?? effectiveByteCount ?? .max else {
      throw AudioFileStreamError(
        .invalidPacketOffset, at: position, "byte \(byteOffset) is not one of the audio's")
    }
    return try known(parser.packet(atByte: byteOffset), "which packet holds byte \(byteOffset)")
  }
}
