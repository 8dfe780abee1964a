// SPDX-License-Identifier: MIT

import AudioModel

/// Reads the tags before the content and selects a parser by the content's first bytes. The content
/// decides; a hint never contradicts it.
struct ContentDetector {
  private var hasPassedTag = false
  private var tag: AudioTagReader?
  /// Zeros after a tag that may still be skipped as its padding.
  private var paddingLeft = 1 << 20
  /// The content's apparent type by its first bytes, unless they are those of a known kind of audio.
  private(set) var suspicion: ForeignContent?

  mutating func step(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool, tags: inout TagCollector
  ) throws(AudioFileStreamError) -> ParserStep {
    if tag != nil {
      switch tag!.step(bytes, isEnd: isEnd, into: &tags) {
      case .need(let byteCount): return .need(byteCount)
      case .skip(let byteCount): return .skip(byteCount)
      case .finished: tag = nil
      }
    }
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
      tag = AudioTagReader(bytes)
      return .skip(tag == nil ? byteCount : 0)
    }
    // The decision depends on the same bytes, however many are present.
    let head = bytes.extracting(0..<min(bytes.count, ForeignContent.signatureBytes))
    if let container = Self.container(head) { return .detected(container) }
    if let foreign = ForeignContent.certain(head) { throw foreign.error(at: offset) }
    suspicion = ForeignContent.suspected(head)
    return .detected(ADTSHeader.mayBegin(head) ? .adts : .mpegAudio)
  }

  /// Returns the container by its signature; nil if it has none.
  private static func container(_ bytes: Span<UInt8>) -> Container? {
    if bytes.has("WAVE", at: 8) {
      for form in ["RIFF", "RF64", "BW64"] where bytes.has(form, at: 0) { return .wave }
    }
    // MPEG layer III in its own RIFF form: chunks as in WAVE, without a format chunk.
    if bytes.has("RIFF", at: 0), bytes.has("RMP3", at: 8) { return .wave }
    if bytes.has("FORM", at: 0), bytes.has("AIFF", at: 8) || bytes.has("AIFC", at: 8) {
      return .aiff
    }
    if bytes.has("caff", at: 0) { return .coreAudio }
    if bytes.has(".snd", at: 0) { return .nextSound }
    if bytes.has("fLaC", at: 0) { return .flac }
    if bytes.has("OggS", at: 0) { return .ogg }
    if bytes.has("ftyp", at: 4) { return .mpeg4 }
    // QuickTime files without a type box, and parts of a fragmented file.
    for box in ["moov", "mdat", "free", "wide", "skip", "styp", "moof", "pnot"]
    where bytes.has(box, at: 4) && (bytes[0] == 0 || bytes.has("mdat", at: 4)) {
      return .mpeg4
    }
    // Wave64 begins with a GUID: "riff", then these.
    if bytes.has("riff", at: 0), bytes.count >= 16, bytes.bigEndian32(at: 4) == 0x2E91_CF11,
      bytes.bigEndian32(at: 8) == 0xA5D6_28DB
    {
      return .wave64
    }
    return nil
  }

  private func empty(at offset: Int64) -> AudioFileStreamError {
    AudioFileStreamError(
      .unsupportedFileType, at: offset,
      hasPassedTag ? "there is a tag, but no audio behind it" : "the input is empty")
  }
}
