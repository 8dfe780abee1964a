// SPDX-License-Identifier: MIT

internal import AudioModel
internal import ByteSources
internal import PacketParser

extension TrackReader {
  /// The time ranges of the track, in nanoseconds, that the spool returns without another request; as exact as the
  /// parser's byte offsets.
  var spooledTimeRanges: [Range<UInt64>] {
    let byteRanges = driver.spooledByteRanges
    guard !byteRanges.isEmpty, let format = output.information?.dataFormat, format.sampleRate > 0,
      let dataOffset = try? driver.stream.dataOffset
    else { return [] }
    return byteRanges.compactMap { bytes in
      guard let first = nanoseconds(atByte: bytes.lowerBound, dataOffset, format),
        let end = nanoseconds(atByte: bytes.upperBound, dataOffset, format), first < end
      else { return nil }
      return first..<end
    }
  }

  /// Returns the start time of the packet that holds a byte; the track's end for bytes behind all packets.
  private func nanoseconds(
    atByte byteOffset: UInt64, _ dataOffset: Int64, _ format: AudioStreamBasicDescription
  ) -> UInt64? {
    let offset = Int64(clamping: byteOffset).subtractingReportingOverflow(dataOffset).partialValue
    guard offset > 0 else { return 0 }
    if let count = try? driver.stream.audioDataByteCount, offset >= count {
      return output.information?.durationNanoseconds
    }
    guard let packet = try? driver.stream.packet(containingByte: offset).packet,
      let frame = try? driver.stream.firstFrame(ofPacket: packet)
    else { return nil }
    let sound = driver.listener.soundFrame(ofDecoded: frame)
    return UInt64(min(Double(sound) / format.sampleRate * 1_000_000_000, 0x1p60))
  }
}
