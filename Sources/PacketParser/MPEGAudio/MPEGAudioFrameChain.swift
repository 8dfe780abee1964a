// SPDX-License-Identifier: MIT

/// Frames that follow each other and agree: the proof that a sync pattern is no accident.
struct MPEGAudioFrameChain {
  /// The format they share.
  let lock: MPEGAudioFormatLock
  /// The first headers, at most three.
  let headers: [MPEGAudioHeader]

  /// What the bytes at a place turned out to be.
  enum Verdict {
    case confirmed(MPEGAudioFrameChain)
    case refused
    /// Ask again when this many bytes are there from the place on, or the input has ended.
    case need(Int)
  }

  /// Bytes of the largest free-format frame: what LAME's 640 kbit/s makes at 8 kHz.
  static let maximumFreeFormatFrameBytes = 5760

  /// Whether frames begin at `start`: `required` consistent ones, or fewer if the input ends behind
  /// them, or a tag does.
  ///
  /// - Parameters:
  ///   - known: the format the stream had so far, in which two frames suffice.
  ///   - followsFrame: a frame of that format ended right before: then frames of another one are believed,
  ///     too, if a frame of the known format follows them.
  static func examine(
    _ bytes: Span<UInt8>, at start: Int, required: Int, known: MPEGAudioFormatLock?,
    followsFrame: Bool = false, isEnd: Bool
  ) -> Verdict {
    guard bytes.count - start >= 4 else { return isEnd ? .refused : .need(4) }
    guard let first = MPEGAudioHeader(bytes.bigEndian32(at: start)) else { return .refused }
    if let known, known.frameBytes(first.word) > 0 {
      let verdict = follow(
        bytes, from: start, first: first, lock: known, required: min(2, required), isEnd: isEnd)
      if case .refused = verdict {} else { return verdict }
    }
    if first.isFreeFormat {
      return examineFreeFormat(bytes, at: start, first: first, required: required, isEnd: isEnd)
    }
    let lock = MPEGAudioFormatLock(first, freeFormatFrameByteCount: nil)
    return follow(
      bytes, from: start, first: first, lock: lock, required: required,
      next: followsFrame ? known : nil, isEnd: isEnd)
  }

  /// Goes from header to header, or up to one of a format that may be next.
  private static func follow(
    _ bytes: Span<UInt8>, from start: Int, first: MPEGAudioHeader, lock: MPEGAudioFormatLock,
    required: Int, next known: MPEGAudioFormatLock? = nil, isEnd: Bool
  ) -> Verdict {
    var headers = [first]
    var place = start + lock.frameBytes(first.word)
    while headers.count < required {
      let left = bytes.count - place
      if left >= 4, let next = MPEGAudioHeader(bytes.bigEndian32(at: place)),
        lock.frameBytes(next.word) > 0
      {
        headers.append(next)
        place += lock.frameBytes(next.word)
      } else if left >= 4, let known, known.frameBytes(bytes.bigEndian32(at: place)) > 0 {
        break
      } else if left >= AudioTag.signatureBytes || isEnd {
        // A tag where the next frame should be, or the end of the input, is as good as a frame. A
        // lone frame must be whole.
        let isTag = left > 0 && AudioTag.isSignature(bytes, at: place)
        guard isTag || left == 0 || (left < 4 && headers.count > 1) else { return .refused }
        break
      } else if left >= 4 {
        return .need(place - start + AudioTag.signatureBytes)
      } else {
        return .need(place - start + 4)
      }
    }
    return .confirmed(MPEGAudioFrameChain(lock: lock, headers: headers))
  }

  /// Tries each distance at which a consistent header follows (ISO/IEC 11172-3 section 2.4.2.3: the
  /// size is constant but for padding).
  private static func examineFreeFormat(
    _ bytes: Span<UInt8>, at start: Int, first: MPEGAudioHeader, required: Int, isEnd: Bool
  ) -> Verdict {
    let padding = first.isPadded ? first.slotBytes : 0
    var distance = first.minimumFrameBytes + padding
    while distance <= maximumFreeFormatFrameBytes + padding {
      guard bytes.count - start >= distance + 4 else {
        // Twice as many each time, so that small slices do not make this look again and again.
        let wanted = min(2 * distance, maximumFreeFormatFrameBytes + padding)
        return isEnd ? .refused : .need(max(distance, wanted) + 4)
      }
      if bytes[start + distance] == 0xFF,
        let next = MPEGAudioHeader(bytes.bigEndian32(at: start + distance)),
        next.isConsistent(with: first)
      {
        let lock = MPEGAudioFormatLock(first, freeFormatFrameByteCount: distance - padding)
        let verdict = follow(
          bytes, from: start, first: first, lock: lock, required: max(3, required), isEnd: isEnd)
        if case .refused = verdict {} else { return verdict }
      }
      distance += first.slotBytes
    }
    return .refused
  }
}
