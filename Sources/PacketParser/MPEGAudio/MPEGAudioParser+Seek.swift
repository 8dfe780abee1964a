// SPDX-License-Identifier: MIT

extension MPEGAudioParser {
  /// By the constant bit rate, the tag's table, or the mean packet, in this order.
  func seekTarget(packet: Int64) throws(AudioFileStreamError) -> AudioFileStreamSeekTarget {
    if packet == 0 {
      return AudioFileStreamSeekTarget(packet: 0, byteOffset: 0, isEstimated: false)
    }
    if let bitRateMap, bitRateMap.holds, constantBitRateIndex != nil {
      let place = bitRateMap.byteOffset(packet: packet)
      let isEstimated = !(place.isExact && isExact && isGapless)
      return target(packet, place.bytes, isEstimated: isEstimated)
    }
    if let byte = tag?.estimatedByte(packet: packet) {
      return target(packet, max(0, byte - tagFrameBytes), isEstimated: true)
    }
    guard let average = facts.averageBytesPerPacket else {
      throw AudioFileStreamError(
        .dataUnavailable, at: facts.dataOffset ?? 0,
        "the packet's place cannot be estimated before some packets are parsed")
    }
    return target(packet, Int64(Double(packet) * average), isEstimated: true)
  }

  /// Keeps an estimate inside the audio data, as far as its size is known.
  private func target(
    _ packet: Int64, _ byteOffset: Int64, isEstimated: Bool
  ) -> AudioFileStreamSeekTarget {
    let byteOffset = isEstimated ? min(byteOffset, facts.statedByteCount ?? .max) : byteOffset
    return AudioFileStreamSeekTarget(
      packet: packet, byteOffset: byteOffset, isEstimated: isEstimated)
  }

  mutating func reposition(to target: AudioFileStreamSeekTarget) {
    nextPacket = target.firstPacket
    isExact = target.packet == 0 || (isExact && !target.isEstimated)
    resynchronize()
  }

  mutating func loseContinuity(at offset: Int64) {
    isExact = false
    resynchronize()
  }

  private mutating func resynchronize() {
    isUnbroken = false
    facts.isWhole = false
    gap = Gap(isExpected: true)
    mayPad = false
    state = .searching
  }
}
