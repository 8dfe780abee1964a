// SPDX-License-Identifier: MIT

/// Consecutive frames that agree: evidence that a sync pattern is not an accident.
struct MPEGAudioFrameChain {
  /// The format they share.
  let lock: MPEGAudioFormatLock
  /// The first headers, at most three.
  let headers: [MPEGAudioHeader]

  /// The result of examining the bytes at an offset.
  enum Verdict {
    case confirmed(MPEGAudioFrameChain)
    case refused
    /// Call again with this many bytes from the offset on, or at the end of the input.
    case need(Int)
  }

  /// Bytes of the largest free-format frame: that of LAME's 640 kbit/s at 8 kHz.
  static let maximumFreeFormatFrameBytes = 5760

  /// Looks for `required` consistent frames at `start`. Fewer suffice if the input ends after them or a
  /// tag follows.
  ///
  /// - Parameters:
  ///   - known: the stream's present format, of which two frames suffice.
  ///   - followsFrame: whether a frame of that format ended at `start`. Then frames of another format
  ///     are also accepted if a frame of the known format follows them.
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

  /// Follows the headers, or stops at one of a format that may be next.
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
        // A tag at the next frame's offset, or the end of the input, counts as a frame. A lone frame
        // must be complete.
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
  /// size is constant except for padding).
  private static func examineFreeFormat(
    _ bytes: Span<UInt8>, at start: Int, first: MPEGAudioHeader, required: Int, isEnd: Bool
  ) -> Verdict {
    let padding = first.isPadded ? first.slotBytes : 0
    var distance = first.minimumFrameBytes + padding
    while distance <= maximumFreeFormatFrameBytes + padding {
      guard bytes.count - start >= distance + 4 else {
        // Doubles the request each time, so that small slices do not repeat the search.
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
