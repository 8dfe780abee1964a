// SPDX-License-Identifier: MIT

import AudioModel

extension MPEGAudioParser {
  /// Uses the Xing, Info or VBRI tag. Some encoders count the tag's own frame or omit the last one, so
  /// one packet is no loss, and the tag's byte count must agree.
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
  /// Returns the probable frames of `byteCount` missing bytes, in whole packets, by the mean of the
  /// packets that arrived.
  func frames(inMissingBytes byteCount: Int64) -> Int64 {
    let framesPerPacket = Int64(dataFormat?.framesPerPacket ?? 0)
    guard packetsSeen > 0, bytesSeen > 0, framesPerPacket > 0 else { return 0 }
    let packets = Double(byteCount) * Double(packetsSeen) / Double(bytesSeen)
    return Int64(min(packets.rounded(), 0x1p40)) * framesPerPacket
  }
}
