// SPDX-License-Identifier: MIT

import AudioModel

extension ContainerParser {
  /// Uses the stream's own count of frames or packets. Parsers whose containers state less reliable
  /// numbers have their own implementation.
  func missingFrameCount(at end: Int64, isUnbroken: Bool) -> Int64 {
    facts.missingFrameCount(at: end, isUnbroken: isUnbroken)
  }
}

extension StreamFacts {
  /// Frames of sound that the stream states but did not deliver, once it was parsed to its end.
  ///
  /// - Parameters:
  ///   - end: bytes from the start of the stream to its end.
  ///   - isUnbroken: whether all packets from the first one on were counted. If not, the frames before
  ///     `end` follow from its byte offset, which needs packets of one size.
  func missingFrameCount(at end: Int64, isUnbroken: Bool) -> Int64 {
    if let statedByteCount, Self.isPlaceholder(statedByteCount) { return 0 }
    // A statement about the first of several formats does not cover the others.
    if firstFormat != nil { return 0 }
    let framesPerPacket = Int64(dataFormat?.framesPerPacket ?? 0)
    var delivered = framesPerPacket > 0 ? packetsSeen * framesPerPacket : framesSeen
    var stated = statedFrameCount ?? 0
    if let dataFormat, dataFormat.bytesPerPacket > 0, let statedByteCount {
      let place = max(0, end - (dataOffset ?? 0))
      let bytes = isUnbroken ? bytesSeen : dataFormat.usableBytes(of: min(place, statedByteCount))
      // The last block may be short.
      delivered = dataFormat.frames(inBytes: bytes)
      stated = dataFormat.frames(inBytes: statedByteCount)
      return soundFrames(stated - delivered, from: delivered)
    }
    guard isUnbroken else { return 0 }
    if statedFrameCount == nil, let statedPacketCount {
      // A header may claim any number.
      let (frames, overflow) = statedPacketCount.multipliedReportingOverflow(by: framesPerPacket)
      stated = overflow ? 0 : frames
    }
    return soundFrames(stated - delivered, from: delivered)
  }

  /// Stated frames of sound from packet `next` on, which did not arrive.
  func missingFrameCount(fromPacket next: Int64) -> Int64 {
    let framesPerPacket = Int64(dataFormat?.framesPerPacket ?? 0)
    guard let statedPacketCount, next >= 0, next < statedPacketCount, framesPerPacket > 0 else {
      return 0
    }
    let (end, overflow) = statedPacketCount.multipliedReportingOverflow(by: framesPerPacket)
    let delivered = next * framesPerPacket
    return overflow ? 0 : soundFrames(end - delivered, from: delivered)
  }

  /// Missing frames that are sound: an encoder's padding is no loss.
  ///
  /// - Parameters:
  ///   - missing: the frames missing.
  ///   - delivered: the frames before them.
  func soundFrames(_ missing: Int64, from delivered: Int64) -> Int64 {
    guard missing > 0 else { return 0 }
    guard let table = packetTableInfo else { return missing }
    // A layer III decoder's delay moves both edges.
    let delay = dataFormat.map { MPEGLayer3Delay.frames($0.formatID, in: fileFormat) } ?? 0
    let start = Int64(table.primingFrames) + delay
    let end = start + table.numberValidFrames
    return min(missing, max(0, end - max(delivered, start)))
  }

  /// Whether a 32-bit size is near the greatest signed or unsigned number. Programs that write to a
  /// pipe state such sizes, since they cannot correct them at the end.
  private static func isPlaceholder(_ size: Int64) -> Bool {
    (0x7FFF_0000...0x8000_0000).contains(size) || (0xFFFF_0000...0xFFFF_FFFF).contains(size)
  }
}
