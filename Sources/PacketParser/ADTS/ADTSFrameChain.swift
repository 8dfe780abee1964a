// SPDX-License-Identifier: MIT

/// Frames that follow each other and agree: the proof that a sync pattern is no accident.
struct ADTSFrameChain {
  /// The first headers, at most three.
  let headers: [ADTSHeader]

  /// Frames that must agree on a format before it is believed, and with a hint that names ADTS.
  static let requiredFrames = 3
  static let requiredFramesWithHint = 2

  /// What the bytes at a place turned out to be.
  enum Verdict {
    case confirmed(ADTSFrameChain)
    case refused
    /// Ask again when this many bytes are there from the place on, or the input has ended.
    case need(Int)
  }

  /// Whether frames begin at `start`: `required` consistent ones, or fewer if the input ends behind
  /// them, or a tag does.
  ///
  /// - Parameters:
  ///   - known: the key of the format the stream had so far, in which two frames suffice.
  ///   - followsFrame: a frame of that format ended right before: then frames of another one are believed,
  ///     too, if a frame of the known format follows them.
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
        // A tag where the next frame should be, or the end of the input, is as good as a frame. A
        // lone frame must be whole.
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
