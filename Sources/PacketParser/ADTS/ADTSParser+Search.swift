// SPDX-License-Identifier: MIT

import AudioModel

extension ADTSParser {
  /// Searches for the next frames that agree, or the next tag.
  mutating func stepSearching(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    var place = 0
    while true {
      while place < bytes.count, !Self.mayBegin(bytes[place]) { place += 1 }
      if !facts.isReady, offset + Int64(place) >= searchLimit {
        throw notADTS(at: searchLimit)
      }
      if place == bytes.count {
        if place > 0 { return gap.pass(place, at: offset) }
        return try endOfSearch(at: offset, isEnd: isEnd)
      }
      let finding =
        bytes[place] == 0xFF
        ? frames(bytes, at: place, isEnd: isEnd) : tag(bytes, at: place, isEnd: isEnd)
      switch finding {
      case .nothing:
        if place == 0, gap.byteCount == 0, !facts.isReady, bytes.count >= ADTSHeader.byteCount {
          leadingKey = ADTSHeader(bytes, at: 0)?.formatKey
        }
        place += 1
      case _ where place > 0:
        return gap.pass(place, at: offset)
      case .need(let byteCount):
        return .need(byteCount)
      case .tag:
        state = .boundary
        return gap.close() ?? .skip(0)
      case .frames(let chain):
        if let notice = endGapBeforeFrame(chain.headers[0].formatKey) { return notice }
        if let format, format.key == chain.headers[0].formatKey {
          state = .locked
        } else {
          state = .newFormat(chain)
        }
        return .skip(0)
      case .mpegAudio:
        return endGapBeforeFrame() ?? .detected(.mpegAudio)
      }
    }
  }

  /// Ends the gap before a frame or another kind of stream. After the first frame, a gap counts as loss
  /// if it is at least half a packet long. Before it, a gap counts as loss if it begins with a header
  /// of the found format: its successor was damaged.
  private mutating func endGapBeforeFrame(_ key: UInt32? = nil) -> ParserStep? {
    let isLoss =
      facts.isReady
      ? gap.packetCount(averageBytes: facts.averageBytesPerPacket) != nil
      : key != nil && key == leadingKey
    return gap.close(isLoss ? .damage : .foreignBytes)
  }

  /// The result of examining an offset.
  private enum Finding {
    case nothing, tag, mpegAudio
    case frames(ADTSFrameChain)
    case need(Int)
  }

  /// Whether frames or the long tags can begin with this byte; see `MPEGAudioParser`.
  private static func mayBegin(_ byte: UInt8) -> Bool {
    byte == 0xFF || byte == UInt8(ascii: "I") || byte == UInt8(ascii: "A")
  }

  private func tag(_ bytes: Span<UInt8>, at place: Int, isEnd: Bool) -> Finding {
    if bytes.count - place < AudioTag.signatureBytes, !isEnd {
      return .need(AudioTag.signatureBytes)
    }
    return switch AudioTag.extent(bytes, at: place, isEnd: isEnd) {
    case .none, .lyrics: .nothing
    case .need(let byteCount): .need(byteCount)
    case .bytes: .tag
    }
  }

  /// Looks for ADTS frames, then for MPEG audio frames: the stream may be MPEG audio or continue as
  /// MPEG audio.
  private func frames(_ bytes: Span<UInt8>, at place: Int, isEnd: Bool) -> Finding {
    let required =
      format == nil && hint == .aacADTS
      ? ADTSFrameChain.requiredFramesWithHint : ADTSFrameChain.requiredFrames
    let verdict = ADTSFrameChain.examine(
      bytes, at: place, required: required, known: format?.key,
      followsFrame: place == 0 && gap.byteCount == 0, isEnd: isEnd)
    switch verdict {
    case .confirmed(let chain): return .frames(chain)
    case .need(let byteCount): return .need(byteCount)
    case .refused: break
    }
    let other = MPEGAudioFrameChain.examine(
      bytes, at: place, required: ADTSFrameChain.requiredFrames, known: nil, isEnd: isEnd)
    return switch other {
    case .confirmed: .mpegAudio
    case .need(let byteCount): .need(byteCount)
    case .refused: .nothing
    }
  }

  private mutating func endOfSearch(
    at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    guard isEnd else { return .need(1) }
    if facts.isReady { return endOfInput() }
    throw notADTS(at: offset)
  }

  /// The error for a stream in which no frames were found.
  private func notADTS(at offset: Int64) -> AudioFileStreamError {
    if let suspicion { return suspicion.error(at: 0) }
    if hint == .aacADTS {
      return AudioFileStreamError(
        .invalidFile, at: offset,
        "no ADTS frames were found, although the name or type promises them")
    }
    return AudioFileStreamError(
      .unsupportedFileType, at: offset,
      "this is no kind of audio file or stream that is known here")
  }
}
