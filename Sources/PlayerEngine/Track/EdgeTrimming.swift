// SPDX-License-Identifier: MIT

internal import AudioModel
internal import PacketParser

/// The decoded frames of a stream that are sound. The frames before and after are delay and padding of the encoder and
/// decoder, and are cut so that tracks join without a gap.
struct EdgeTrimming: Equatable {
  /// The first decoded frame that is sound, and the first after it that is not.
  let firstFrame: Int64
  let endFrame: Int64
  /// The end of the packets that the table covers. Frames after it, as in concatenated files, are sound.
  private let tableEndFrame: Int64

  /// No frame is cut.
  static let none = EdgeTrimming(firstFrame: 0, endFrame: .max, tableEndFrame: .max)

  private init(firstFrame: Int64, endFrame: Int64, tableEndFrame: Int64) {
    self.firstFrame = firstFrame
    self.endFrame = endFrame
    self.tableEndFrame = tableEndFrame
  }

  /// The cut that a packet table requires. With a LAME tag's table, the decoder's delay moves both edges; if the
  /// padding is shorter than that, the sound ends with the last packet. MPEG-4 and Core Audio files count that delay as
  /// priming themselves.
  init(
    _ table: AudioFilePacketTableInfo?, format: AudioFormatID, fileFormat: AudioFileTypeID
  ) {
    guard let table else {
      self = .none
      return
    }
    let delay = MPEGLayer3Delay.frames(format, in: fileFormat)
    let priming = Int64(max(0, table.primingFrames))
    // A file may claim anything: sums must not overflow.
    let valid = min(max(0, table.numberValidFrames), 1 << 60)
    let total = priming + valid + Int64(max(0, table.remainderFrames))
    firstFrame = priming + delay
    endFrame = min(total, priming + valid + delay)
    tableEndFrame = total
  }

  /// The cut around the frames that the container marks as sound.
  init(soundFrames: Range<Int64>) {
    firstFrame = soundFrames.lowerBound
    endFrame = soundFrames.upperBound
    tableEndFrame = .max
  }

  /// The pre-skip of an Opus identification header (RFC 7845 section 5.1), if nothing else states it.
  init(opusHeader: [UInt8]) {
    guard opusHeader.count >= 12 else {
      self = .none
      return
    }
    self.init(soundFrames: (Int64(opusHeader[11]) << 8 | Int64(opusHeader[10]))..<Int64.max)
  }

  /// Returns the frames to cut at the start and at the end of a packet that decodes to these frames.
  func trims(firstFrame first: Int64, frameCount: Int32) -> (start: Int32, end: Int32) {
    guard first < tableEndFrame else { return (0, 0) }
    let count = Int64(frameCount)
    let start = min(count, max(0, firstFrame - first))
    let end = min(count - start, max(0, first + count - endFrame))
    return (Int32(start), Int32(end))
  }

  /// Returns the padding frames cut before a decoded frame.
  func paddingFrames(before frame: Int64) -> Int64 {
    max(0, min(frame, tableEndFrame) - endFrame)
  }

  /// Returns the padding frames cut before a frame of sound, which is counted from ``firstFrame``.
  func paddingFrames(beforeSound frame: Int64) -> Int64 {
    guard tableEndFrame != .max, frame >= endFrame - firstFrame else { return 0 }
    return max(0, tableEndFrame - endFrame)
  }
}
