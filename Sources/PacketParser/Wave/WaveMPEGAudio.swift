// SPDX-License-Identifier: MIT

import AudioModel

/// The stream of MPEG audio frames in the data chunk of a WAVE file, passed to the parser of bare
/// streams.
struct WaveMPEGAudio {
  private(set) var parser: MPEGAudioParser
  /// The stream offset at which the data chunk's content ends; nil if the file does not state it.
  private let end: Int64?

  init(_ data: WaveChunk, hint: AudioFileTypeID, tags: TagCollector) {
    parser = MPEGAudioParser(ParserContext(start: data.start, hint: hint, tags: tags))
    parser.mayBecomeADTS = false
    end = data.byteCount.map { data.start + $0 }
  }

  /// Returns the parser's step, limited to the chunk; nil at the end of the chunk's frames.
  mutating func step(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep? {
    let left = end.map { max(0, $0 - offset) } ?? .max
    let shown = bytes.extracting(0..<Int(min(Int64(bytes.count), left)))
    var answer = try parser.step(shown, at: offset, isEnd: false)
    if case .need(let byteCount) = answer {
      if !isEnd, Int64(shown.count) < left { return .need(Int(min(Int64(byteCount), left))) }
      // The chunk has no more bytes.
      answer = try parser.step(shown, at: offset, isEnd: true)
    }
    switch answer {
    case .skip(let byteCount): return .skip(min(byteCount, left))
    case .finished: return nil
    default: return answer
    }
  }

  /// Returns the facts of the frames, completed by those of the chunks.
  ///
  /// - Parameters:
  ///   - fileFormat: the type of the whole file.
  ///   - nominalBitRate: the bit rate in the format chunk.
  ///   - frameCount: the frames in the `fact` chunk, until the packets are counted.
  func facts(
    fileFormat: AudioFileTypeID?, nominalBitRate: Int?, frameCount: Int64?
  ) -> StreamFacts {
    var facts = parser.facts
    facts.fileFormat = fileFormat
    facts.isWhole = false
    if let dataOffset = facts.dataOffset, let end, facts.statedByteCount == nil {
      facts.statedByteCount = max(0, end - dataOffset)
    }
    if facts.nominalBitRate == nil { facts.nominalBitRate = nominalBitRate }
    if facts.statedPacketCount == nil, facts.statedFrameCount == nil {
      facts.statedFrameCount = frameCount
    }
    return facts
  }

  /// Resumes at the target of a seek.
  mutating func reposition(to target: AudioFileStreamSeekTarget) {
    parser.reposition(to: target)
  }
}
