// SPDX-License-Identifier: MIT

import AudioModel

extension CoreAudioFormatParser {
  /// Always exact: by the table, or by the constant packet size.
  func seekTarget(packet: Int64) throws(AudioFileStreamError) -> AudioFileStreamSeekTarget {
    guard let table else {
      let byteOffset = packet * Int64(facts.dataFormat?.bytesPerPacket ?? 0)
      return AudioFileStreamSeekTarget(packet: packet, byteOffset: byteOffset, isEstimated: false)
    }
    guard let place = table.place(ofPacket: packet) else {
      throw AudioFileStreamError(
        .invalidPacketOffset, at: facts.dataOffset ?? 0, "the stream has no packet \(packet)")
    }
    return AudioFileStreamSeekTarget(
      packet: packet, byteOffset: place.byteOffset, isEstimated: false)
  }

  func packet(atByte byteOffset: Int64) -> AudioBytePacketTranslation? {
    guard let table else {
      let bytesPerPacket = Int64(facts.dataFormat?.bytesPerPacket ?? 1)
      return AudioBytePacketTranslation(
        byte: byteOffset, packet: byteOffset / bytesPerPacket,
        byteOffsetInPacket: byteOffset % bytesPerPacket, isEstimated: false)
    }
    guard let place = table.place(atByte: byteOffset) else { return nil }
    return AudioBytePacketTranslation(
      byte: byteOffset, packet: place.packet, byteOffsetInPacket: byteOffset - place.byteOffset,
      isEstimated: false)
  }

  func packet(atFrame frame: Int64) -> AudioFramePacketTranslation? {
    guard let place = table?.place(atFrame: frame) else { return nil }
    return AudioFramePacketTranslation(
      frame: frame, packet: place.packet, frameOffsetInPacket: frame - place.frame)
  }

  func firstFrame(ofPacket packet: Int64) -> Int64? {
    table?.place(ofPacket: packet)?.frame
  }

  mutating func reposition(to target: AudioFileStreamSeekTarget) {
    next =
      table?.place(ofPacket: target.firstPacket)
      ?? CoreAudioPacketTable.Place(packet: target.firstPacket, byteOffset: target.byteOffset)
    isUnbroken = false
    left = (0, 0)
    notice = nil
    state = .data
  }
}
