// SPDX-License-Identifier: MIT

import AudioModel

/// Passes the tags before the content and tells from its first bytes which parser it is for. The
/// content decides; a hint never contradicts it.
struct ContentDetector {
  private var hasPassedTag = false
  /// Zeros behind a tag are its padding, up to so many.
  private var paddingLeft = 1 << 20
  /// What the content's first bytes look like, unless they are a known kind of audio's.
  private(set) var suspicion: ForeignContent?

  mutating func step(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    if hasPassedTag, paddingLeft > 0 {
      var zeros = 0
      while zeros < min(bytes.count, paddingLeft), bytes[zeros] == 0 { zeros += 1 }
      paddingLeft -= zeros
      if zeros > 0 { return .skip(Int64(zeros)) }
    }
    if bytes.count < ForeignContent.signatureBytes, !isEnd {
      return .need(ForeignContent.signatureBytes)
    }
    guard bytes.count > 0 else { throw empty(at: offset) }
    if case .bytes(let byteCount) = AudioTag.extent(bytes, at: 0, isEnd: isEnd),
      !bytes.has("TAG", at: 0)
    {
      hasPassedTag = true
      return .skip(byteCount)
    }
    if bytes.has("RIFF", at: 0), bytes.has("WAVE", at: 8) { return .detected(.wave) }
    // However many bytes are here, the same ones are judged.
    let head = bytes.extracting(0..<min(bytes.count, ForeignContent.signatureBytes))
    if let foreign = ForeignContent.certain(head) { throw foreign.error(at: offset) }
    suspicion = ForeignContent.suspected(head)
    return .detected(.mpegAudio)
  }

  private func empty(at offset: Int64) -> AudioFileStreamError {
    AudioFileStreamError(
      .unsupportedFileType, at: offset,
      hasPassedTag ? "there is a tag, but no audio behind it" : "the input is empty")
  }
}
