// SPDX-License-Identifier: MIT

import AudioModel

/// A WAVE file: RIFF, RF64 and BW64, and Sony's Wave64. Its `fmt ` chunk holds the format, its `data`
/// chunk the sound; a packet is a frame of linear PCM, a block of ADPCM, or a frame of MPEG audio.
struct WaveParser: ContainerParser {
  enum State {
    case formHeader
    case chunkHeader
    /// In the content of `chunk`.
    case sizes
    case format
    case fact
    case tag
    /// The audio begins here.
    case firstByte
    case audio
    /// After all chunks.
    case rest
  }

  var facts = StreamFacts()
  var details: StreamDetails
  let form: WaveForm
  var context: ParserContext
  var state = State.formHeader
  /// The stream offset of the form's end by its own statement; nil if that is a placeholder.
  var formEnd: Int64?
  var sizes: WaveSizes?
  var format: WaveFormat?
  /// Frames stated by the `fact` chunk.
  var factFrames: Int64?
  /// The chunk whose content is parsed.
  var chunk = WaveChunk(kind: .other, start: 0)
  /// The chunk of the audio, once it was found.
  var data: WaveChunk?
  /// The tag in `chunk`, and the number of statements before it.
  var tag: ChunkTag?
  var statementsBefore = 0
  /// The packets, if they have one size.
  var packets: ConstantPackets?
  /// The frames, if the audio is MPEG audio.
  var mpeg: WaveMPEGAudio?

  init(_ context: ParserContext, form: WaveForm = .riff) {
    self.context = context
    self.form = form
    details = StreamDetails(context)
  }

  var descriptions: [AudioStreamPacketDescription] {
    mpeg?.parser.descriptions ?? packets?.descriptions ?? []
  }
  var assembled: [UInt8] { mpeg?.parser.assembled ?? [] }

  mutating func step(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    switch state {
    case .formHeader: return try stepFormHeader(bytes, at: offset, isEnd: isEnd)
    case .chunkHeader: return try stepChunkHeader(bytes, at: offset, isEnd: isEnd)
    case .sizes:
      let wanted = Int(min(chunk.byteCount ?? 0, Int64(WaveSizes.maximumBytes)))
      guard bytes.count >= wanted else { return try need(wanted, at: offset, isEnd: isEnd) }
      sizes = WaveSizes(bytes.extracting(0..<wanted))
      if let size = sizes?.form { formEnd = context.start + 8 + size }
      return endOfChunk(at: offset)
    case .format: return try stepFormat(bytes, at: offset, isEnd: isEnd)
    case .fact:
      let wanted = form == .riff ? 4 : 8
      guard bytes.count >= wanted else { return try need(wanted, at: offset, isEnd: isEnd) }
      factFrames = WaveSizes.size(
        form == .riff ? UInt64(bytes.littleEndian32(at: 0)) : bytes.littleEndian64(at: 0))
      if factFrames == Int64(UInt32.max) { factFrames = sizes?.frames }
      return endOfChunk(at: offset)
    case .tag: return stepTag(bytes, at: offset, isEnd: isEnd)
    case .firstByte:
      state = .audio
      facts.isReady = true
      return .ready
    case .audio: return try stepAudio(bytes, at: offset, isEnd: isEnd)
    case .rest:
      if !bytes.isEmpty { return .skip(Int64(bytes.count)) }
      return isEnd ? endOfInput() : .need(1)
    }
  }

  private mutating func stepFormHeader(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    let wanted = form.headerBytes
    guard bytes.count >= wanted else { return try need(wanted, at: offset, isEnd: isEnd) }
    switch form {
    case .riff:
      let size = bytes.littleEndian32(at: 4)
      formEnd = size == 0 || size == UInt32.max ? nil : offset + 8 + Int64(size)
      facts.fileFormat =
        bytes.has("RF64", at: 0) ? .rf64 : bytes.has("BW64", at: 0) ? .bw64 : .wave
      if bytes.has("RMP3", at: 8) { format = WaveFormat(mpegAudio: .mpegLayer3) }
    case .wave64:
      guard bytes.has("wave", at: 24), bytes.bigEndian64(at: 28) == 0xF3AC_D311_8CD1_00C0,
        bytes.bigEndian32(at: 36) == 0x4F8E_DB8A
      else {
        throw AudioFileStreamError(
          .unsupportedFileType, at: offset, "this Wave64 file holds something else than sound")
      }
      facts.fileFormat = .wave64
    }
    state = .chunkHeader
    return .skip(Int64(wanted))
  }

  private mutating func stepChunkHeader(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    let wanted = form.chunkHeaderBytes
    let isBehind = facts.isReady
    if bytes.count < wanted {
      if !isEnd { return .need(wanted) }
      if isBehind { return rest() }
      throw cut(at: offset)
    }
    guard let next = form.chunk(bytes, at: offset, sizes: sizes, formEnd: formEnd) else {
      if isBehind { return rest() }
      throw AudioFileStreamError(
        .invalidFile, at: offset, "there is no chunk where the WAVE file should have one")
    }
    chunk = next
    switch next.kind {
    case .format where format == nil: state = .format
    case .data where !isBehind: return try stepDataHeader(at: offset)
    case .fact where data == nil && (next.byteCount ?? 0) >= (form == .riff ? 4 : 8): state = .fact
    case .sizes where sizes == nil && form == .riff && facts.fileFormat != .wave: state = .sizes
    case .list, .id3v2: beginTag()
    default: return endOfChunk(at: offset)
    }
    return .skip(Int64(wanted))
  }

  private mutating func stepFormat(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    let wanted = Int(min(chunk.byteCount ?? 0, Int64(WaveFormat.maximumBytes)))
    guard bytes.count >= wanted else { return try need(wanted, at: offset, isEnd: isEnd) }
    let format = try WaveFormat(bytes.extracting(0..<wanted), at: offset)
    self.format = format
    details.channelLayout = format.channelLayout.map { AudioChannelLayout($0) }
    guard let data else { return endOfChunk(at: offset) }
    // The audio preceded its format and was skipped.
    begin(data, format)
    return .goTo(data.start)
  }

  /// Skips to the next chunk.
  mutating func endOfChunk(at offset: Int64) -> ParserStep {
    guard let next = chunk.next else { return rest() }
    state = .chunkHeader
    return .skip(max(0, next - offset))
  }

  mutating func rest() -> ParserStep {
    state = .rest
    return .skip(0)
  }

  private mutating func endOfInput() -> ParserStep {
    let isUnbroken = mpeg?.parser.facts.isWhole ?? packets?.isUnbroken ?? false
    facts.isWhole = facts.isWhole || isUnbroken
    return .finished
  }

  func need(
    _ byteCount: Int, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    if !isEnd { return .need(byteCount) }
    throw cut(at: offset)
  }

  private func cut(at offset: Int64) -> AudioFileStreamError {
    AudioFileStreamError(
      .invalidFile, at: offset,
      data != nil
        ? "the WAVE file ends before it states its format"
        : "the WAVE file ends before its audio data begin")
  }
}
