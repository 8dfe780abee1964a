// SPDX-License-Identifier: MIT

/// The format that a stream was found to have, prepared so that the next header can be checked, and
/// its frame measured, without a division.
struct MPEGAudioFormatLock {
  /// A header of this format.
  let header: MPEGAudioHeader
  /// Bytes of an unpadded frame in free format, whose headers do not tell it.
  let freeFormatFrameByteCount: Int?
  private let slotBytes: Int
  private let isMono: Bool
  /// Bytes of an unpadded frame by bit-rate index; 0 where the index may not occur.
  private var frameBytesByIndex: InlineArray<16, Int>

  init(_ header: MPEGAudioHeader, freeFormatFrameByteCount: Int?) {
    self.header = header
    self.freeFormatFrameByteCount = freeFormatFrameByteCount
    slotBytes = header.slotBytes
    isMono = header.isMono
    frameBytesByIndex = InlineArray(repeating: 0)
    if let freeFormatFrameByteCount {
      frameBytesByIndex[0] = freeFormatFrameByteCount
    } else {
      let rates = MPEGAudioHeader.kilobitsPerSecond(version: header.version, layer: header.layer)
      for index in 1..<15 {
        frameBytesByIndex[index] = header.unpaddedFrameBytes(bitRate: rates[index] * 1000)
      }
    }
  }

  /// Bytes of the frame that begins with this word; 0 if none of this format does.
  @inline(__always)
  func frameBytes(_ word: UInt32) -> Int {
    guard (word ^ header.word) & 0xFFFE_0C00 == 0, ((word >> 6) & 3 == 3) == isMono else {
      return 0
    }
    let unpadded = frameBytesByIndex[Int((word >> 12) & 15)]
    return word & 0x200 != 0 && unpadded != 0 ? unpadded + slotBytes : unpadded
  }

  /// Bytes of the smallest and of the largest frame of this format.
  var frameByteRange: ClosedRange<Int64> {
    var smallest = Int.max
    var largest = 1
    for index in 0..<16 where frameBytesByIndex[index] > 0 {
      smallest = min(smallest, frameBytesByIndex[index])
      largest = max(largest, frameBytesByIndex[index] + slotBytes)
    }
    return Int64(min(smallest, largest))...Int64(largest)
  }

  /// Bytes that no frame of this format exceeds: the largest one and a margin of eight, which holds
  /// the padding.
  var frameByteUpperBound: Int {
    var largest = 0
    for index in 0..<16 { largest = max(largest, frameBytesByIndex[index]) }
    return largest + 8
  }

  /// Whether frames of both can be decoded as one stream.
  func isSameFormat(as other: MPEGAudioFormatLock) -> Bool {
    header.isConsistent(with: other.header)
      && freeFormatFrameByteCount == other.freeFormatFrameByteCount
  }
}

extension MPEGAudioFormatLock {
  /// Bits per second of a frame; in free format what the unpadded frame comes to.
  func bitRate(of header: MPEGAudioHeader) -> Int {
    guard let freeFormatFrameByteCount else { return header.bitRate }
    return freeFormatFrameByteCount * 8 * header.sampleRate / header.framesPerPacket
  }
}
