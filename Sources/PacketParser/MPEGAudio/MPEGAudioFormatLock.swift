// SPDX-License-Identifier: MIT

/// The format found in a stream, prepared so that the next header can be checked and its frame measured
/// without a division.
struct MPEGAudioFormatLock {
  /// A header of this format.
  let header: MPEGAudioHeader
  /// Bytes of an unpadded free-format frame, whose header does not state them.
  let freeFormatFrameByteCount: Int?
  private let slotBytes: Int
  private let isMono: Bool
  /// Bytes of an unpadded frame by bit-rate index; 0 if the index is invalid.
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

  /// Returns the bytes of the frame that begins with this word; 0 if it is not a header of this format.
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

  /// The most bytes of a frame of this format: the largest one and a margin of eight, which covers the
  /// padding.
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
  /// Returns the bits per second of a frame; in free format those of the unpadded frame.
  func bitRate(of header: MPEGAudioHeader) -> Int {
    guard let freeFormatFrameByteCount else { return header.bitRate }
    return freeFormatFrameByteCount * 8 * header.sampleRate / header.framesPerPacket
  }
}
