// SPDX-License-Identifier: MIT

import AudioModel

extension MPEGAudioParser {
  /// By the Xing, Info or VBRI tag. Some encoders count the tag's own frame, or leave out the last one, so
  /// one packet is no loss, and the tag's count of bytes has to agree.
  func missingFrameCount(at end: Int64, isUnbroken: Bool) -> Int64 {
    guard isUnbroken || isExact, let packets = facts.statedPacketCount else { return 0 }
    let next = isUnbroken ? facts.packetsSeen : nextPacket
    guard packets - next > 1 else { return 0 }
    let bytes = isUnbroken ? facts.bytesSeen : end - (facts.dataOffset ?? 0)
    if let stated = facts.statedByteCount, bytes >= stated { return 0 }
    return facts.missingFrameCount(fromPacket: next)
  }
}

extension StreamFacts {
  /// The frames that so many bytes most likely hold, in whole packets, by the mean of those that came.
  func frames(inMissingBytes byteCount: Int64) -> Int64 {
    let framesPerPacket = Int64(dataFormat?.framesPerPacket ?? 0)
    guard packetsSeen > 0, bytesSeen > 0, framesPerPacket > 0 else { return 0 }
    let packets = Double(byteCount) * Double(packetsSeen) / Double(bytesSeen)
    return Int64(min(packets.rounded(), 0x1p40)) * framesPerPacket
  }
}
