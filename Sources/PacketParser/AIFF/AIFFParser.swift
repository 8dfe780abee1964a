// SPDX-License-Identifier: MIT

import AudioModel

/// An AIFF or AIFF-C file. Its `COMM` chunk holds the format, its `SSND` chunk the sound.
struct AIFFParser: ContainerParser {
  private enum State {
    case formHeader
    case chunkHeader
    /// In the content of `chunk`.
    case common
    case channels
    case tag
    case soundHeader
    /// The audio begins here.
    case firstByte
    case audio
    /// After all chunks.
    case rest
  }

  /// The extent of a chunk's content.
  private struct Chunk {
    var start: Int64 = 0
    /// Nil for sound whose writer did not know its size.
    var byteCount: Int64?

    var next: Int64? { byteCount.map { start + $0 + ($0 & 1) } }
  }

  private(set) var facts = StreamFacts()
  private(set) var details: StreamDetails
  var descriptions: [AudioStreamPacketDescription] { packets?.descriptions ?? [] }
  private var context: ParserContext
  private var state = State.formHeader
  private var chunk = Chunk()
  private var common: AIFFCommonChunk?
  private var layout: AudioChannelLayout?
  /// The `SSND` chunk, once it was found, and the bytes between its own header and the sound.
  private var sound: Chunk?
  private var soundOffset: Int64 = 0
  /// The tag in `chunk`, and the number of statements before it.
  private var tag: ChunkTag?
  private var statementsBefore = 0
  private var packets: ConstantPackets?

  init(_ context: ParserContext) {
    self.context = context
    details = StreamDetails(context)
  }

  mutating func step(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    switch state {
    case .formHeader:
      guard bytes.count >= 12 else { return try need(12, at: offset, isEnd: isEnd) }
      facts.fileFormat = bytes.has("AIFC", at: 8) ? .aifc : .aiff
      state = .chunkHeader
      return .skip(12)
    case .chunkHeader: return try stepChunkHeader(bytes, at: offset, isEnd: isEnd)
    case .common:
      let wanted = Int(min(chunk.byteCount ?? 0, Int64(AIFFCommonChunk.maximumBytes)))
      guard bytes.count >= wanted else { return try need(wanted, at: offset, isEnd: isEnd) }
      let common = try AIFFCommonChunk(
        bytes.extracting(0..<wanted), isAIFFC: facts.fileFormat == .aifc, at: offset)
      self.common = common
      guard let sound else { return endOfChunk(at: offset) }
      // The sound chunk preceded the format and was skipped.
      begin(sound, common)
      return .goTo(sound.start + 8 + soundOffset)
    case .channels:
      let wanted = Int(min(chunk.byteCount ?? 0, Int64(StoredChannelLayout.maximumBytes)))
      guard bytes.count >= wanted else { return try need(wanted, at: offset, isEnd: isEnd) }
      layout = StoredChannelLayout.read(bytes.extracting(0..<wanted))
      return endOfChunk(at: offset)
    case .tag: return stepTag(bytes, at: offset, isEnd: isEnd)
    case .soundHeader: return try stepSoundHeader(bytes, at: offset, isEnd: isEnd)
    case .firstByte:
      state = .audio
      facts.isReady = true
      return .ready
    case .audio:
      if let step = packets?.step(bytes, at: offset, isEnd: isEnd, facts: &facts) { return step }
      guard let next = sound?.next else { return rest() }
      state = .chunkHeader
      return .skip(max(0, next - offset))
    case .rest:
      if !bytes.isEmpty { return .skip(Int64(bytes.count)) }
      if !isEnd { return .need(1) }
      facts.isWhole = facts.isWhole || packets?.isUnbroken == true
      return .finished
    }
  }

  private mutating func stepChunkHeader(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    if bytes.count < 8 {
      if !isEnd { return .need(8) }
      if facts.isReady { return rest() }
      throw cut(at: offset)
    }
    guard let id = ChunkText.identifier(bytes, at: 0) else {
      if facts.isReady { return rest() }
      throw AudioFileStreamError(
        .invalidFile, at: offset, "there is no chunk where the AIFF file should have one")
    }
    chunk = Chunk(start: offset + 8, byteCount: Int64(bytes.bigEndian32(at: 4)))
    switch id {
    case "COMM" where common == nil: state = .common
    case "SSND" where !facts.isReady && packets == nil: state = .soundHeader
    case "CHAN" where !facts.isReady: state = .channels
    default:
      guard let tag = Self.tag(id, chunk) else { return endOfChunk(at: offset) }
      self.tag = tag
      statementsBefore = details.tags.statementCount
      state = .tag
    }
    return .skip(8)
  }

  /// Reads the chunk's own header, which states the offset of the sound. Programs that write to a pipe
  /// leave a placeholder for the size: 0, FFFFFFFF, and SoX 7F000008.
  private mutating func stepSoundHeader(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    guard bytes.count >= 8 else { return try need(8, at: offset, isEnd: isEnd) }
    soundOffset = Int64(bytes.bigEndian32(at: 0))
    if let size = chunk.byteCount, [0, 0xFFFF_FFFF, 0x7F00_0008].contains(size) {
      chunk.byteCount = nil
    }
    if let size = chunk.byteCount, size < 8 + soundOffset {
      throw AudioFileStreamError(
        .invalidFile, at: offset,
        "the AIFF file's sound chunk has \(size) bytes, but its sound begins \(soundOffset) bytes "
          + "behind its header")
    }
    if let common {
      begin(chunk, common)
      return .skip(8 + soundOffset)
    }
    guard context.canReposition, chunk.next != nil, sound == nil else {
      throw AudioFileStreamError(
        .notOptimized, at: offset - 8,
        "the AIFF file's sound comes before its format, so that it cannot be played while it "
          + "arrives: play it from a local file, or rewrite it")
    }
    sound = chunk
    return endOfChunk(at: offset)
  }

  /// Prepares the packets of a sound chunk.
  private mutating func begin(_ sound: Chunk, _ common: AIFFCommonChunk) {
    self.sound = sound
    let format = common.dataFormat
    var byteCount = sound.byteCount.map { $0 - 8 - soundOffset }
    let stated = Int64(common.packetCount)
    if let size = byteCount, stated > 0 {
      // The chunk may be padded to a multiple of its block size.
      byteCount = min(size, stated * Int64(format.bytesPerPacket))
    }
    packets = ConstantPackets(
      format, from: sound.start + 8 + soundOffset, byteCount: byteCount, facts: &facts)
    if let layout, layout.labels.count == Int(format.channelsPerFrame) {
      details.channelLayout = layout
    } else if format.channelsPerFrame <= 2 {
      details.channelLayout = AudioChannelLayout(.standard(channels: format.channelsPerFrame))
    }
    readTagsInTail()
    context.tail = []
    state = .firstByte
  }

  private mutating func endOfChunk(at offset: Int64) -> ParserStep {
    guard let next = chunk.next else { return rest() }
    state = .chunkHeader
    return .skip(max(0, next - offset))
  }

  private mutating func rest() -> ParserStep {
    state = .rest
    return .skip(0)
  }

  private func need(
    _ byteCount: Int, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    if !isEnd { return .need(byteCount) }
    throw cut(at: offset)
  }

  private func cut(at offset: Int64) -> AudioFileStreamError {
    AudioFileStreamError(
      .invalidFile, at: offset,
      sound != nil
        ? "the AIFF file ends before it states its format"
        : "the AIFF file ends before its sound begins")
  }

  func seekTarget(packet: Int64) throws(AudioFileStreamError) -> AudioFileStreamSeekTarget {
    guard let packets else { preconditionFailure("a seek before the audio") }
    return packets.seekTarget(packet: packet)
  }

  mutating func reposition(to target: AudioFileStreamSeekTarget) {
    packets?.reposition(to: target.firstPacket)
    state = .audio
  }
}

extension AIFFParser {
  /// A reader for a chunk that can hold a tag; nil for all other chunks.
  private static func tag(_ id: String, _ chunk: Chunk) -> ChunkTag? {
    let kind: ChunkTag.Kind
    switch id {
    case "NAME": kind = .text(.title)
    case "AUTH": kind = .text(.artist)
    case "(c) ": kind = .text(.copyright)
    case "ANNO": kind = .text(.comment)
    case "ID3 ", "id3 ": kind = .id3v2
    default: return nil
    }
    return ChunkTag(kind, byteCount: chunk.byteCount ?? 0)
  }

  private mutating func stepTag(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) -> ParserStep {
    switch tag?.step(bytes, isEnd: isEnd, into: &details.tags) ?? .finished {
    case .need(let byteCount): return .need(byteCount)
    case .skip(let byteCount): return .skip(byteCount)
    case .finished:
      tag = nil
      if facts.isReady, details.tags.statementCount > statementsBefore {
        statementsBefore = details.tags.statementCount
        return .found(.infoDictionary)
      }
      return endOfChunk(at: offset)
    }
  }

  /// Reads the tags after the sound if the stream's last bytes hold every chunk from there on.
  private mutating func readTagsInTail() {
    guard let total = context.totalByteCount, let next = sound?.next, next <= total else { return }
    let tail = context.tail
    var place = next - (total - Int64(tail.count))
    while place >= 0, Int64(tail.count) - place >= 8 {
      let start = Int(place) + 8
      guard let id = ChunkText.identifier(tail.span, at: start - 8) else { return }
      let found = Chunk(
        start: Int64(start), byteCount: Int64(tail.span.bigEndian32(at: start - 4)))
      let end = min(tail.count, start + Int(found.byteCount ?? 0))
      if var tag = Self.tag(id, found) {
        tag.read(tail.span.extracting(start..<end), into: &details.tags)
      }
      place = found.next ?? Int64(tail.count)
    }
  }
}
