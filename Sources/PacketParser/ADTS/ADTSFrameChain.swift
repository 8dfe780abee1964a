// SPDX-License-Identifier: MIT

/// Consecutive frames that agree: evidence that a sync pattern is not an accident.
struct ADTSFrameChain {
  /// The first headers, at most three.
  let headers: [ADTSHeader]

  /// Frames that must agree before a format is accepted; fewer with a hint that names ADTS.
  static let requiredFrames = 3
  static let requiredFramesWithHint = 2

  /// The result of examining the bytes at an offset.
  enum Verdict {
    case confirmed(ADTSFrameChain)
    case refused
    /// Call again with this many bytes from the offset on, or at the end of the input.
    case need(Int)
  }

  /// Looks for `required` consistent frames at `start`. Fewer suffice if the input ends after them or a
  /// tag follows.
  ///
  /// - Parameters:
  ///   - known: the key of the stream's present format, of which two frames suffice.
  ///   - followsFrame: whether a frame of that format ended at `start`. Then frames of another format
  ///     are also accepted if a frame of the known format follows them.
  static func examine(
    _ bytes: Span<UInt8>, at start: Int, required: Int, known: UInt32?,
    followsFrame: Bool = false, isEnd: Bool
  ) -> Verdict {
    guard bytes.count - start >= ADTSHeader.byteCount else {
      return isEnd ? .refused : .need(ADTSHeader.byteCount)
    }
    guard let first = ADTSHeader(bytes, at: start) else { return .refused }
    let required = first.formatKey == known ? min(2, required) : required
    var headers = [first]
    var place = start + first.frameBytes
    while headers.count < required {
      let left = bytes.count - place
      if left >= ADTSHeader.byteCount, let next = ADTSHeader(bytes, at: place),
        next.formatKey == first.formatKey
      {
        headers.append(next)
        place += next.frameBytes
      } else if followsFrame, left >= ADTSHeader.byteCount,
        let next = ADTSHeader(bytes, at: place), next.formatKey == known
      {
        break
      } else if left >= AudioTag.signatureBytes || isEnd {
        // A tag at the next frame's offset, or the end of the input, counts as a frame. A lone frame
        // must be complete.
        let isTag = left > 0 && AudioTag.isSignature(bytes, at: place)
        let isCut = left < ADTSHeader.byteCount && headers.count > 1
        guard isTag || left == 0 || isCut else { return .refused }
        break
      } else {
        let wanted = left >= ADTSHeader.byteCount ? AudioTag.signatureBytes : ADTSHeader.byteCount
        return .need(place - start + wanted)
      }
    }
    return .confirmed(ADTSFrameChain(headers: headers))
  }
}
