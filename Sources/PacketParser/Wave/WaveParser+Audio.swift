// SPDX-License-Identifier: MIT

import AudioModel

extension WaveParser {
  /// Begins the data chunk, or skips it if its format is unknown yet.
  mutating func stepDataHeader(at offset: Int64) throws(AudioFileStreamError) -> ParserStep {
    if let format {
      begin(chunk, format)
      return .skip(Int64(form.chunkHeaderBytes))
    }
    guard context.canReposition, chunk.next != nil, data == nil else {
      throw AudioFileStreamError(
        .notOptimized, at: offset,
        "the WAVE file's data come before their format, so that it cannot be played while it "
          + "arrives: play it from a local file, or rewrite it")
    }
    data = chunk
    return endOfChunk(at: offset)
  }

  /// Prepares the audio that begins at the start of this chunk.
  mutating func begin(_ data: WaveChunk, _ format: WaveFormat) {
    self.data = data
    readTagsInTail()
    context.tail = []
    switch format.encoding {
    case .constant(let description):
      packets = ConstantPackets(
        description, from: data.start, byteCount: soundBytes(data, description), facts: &facts)
      state = .firstByte
    case .mpegAudio(let hint):
      mpeg = WaveMPEGAudio(data, hint: hint, tags: details.tags)
      state = .audio
    }
  }

  /// Returns the content's bytes without padding to a multiple of eight, which ffmpeg counts as content
  /// of a Wave64 chunk.
  private func soundBytes(_ data: WaveChunk, _ format: AudioStreamBasicDescription) -> Int64? {
    guard form == .wave64, let byteCount = data.byteCount else { return data.byteCount }
    let rest = byteCount % Int64(format.bytesPerPacket)
    if format.framesPerPacket > 1 { return rest < 8 ? byteCount - rest : byteCount }
    guard let factFrames, format.framesPerPacket == 1,
      factFrames <= byteCount / Int64(format.bytesPerPacket)
    else { return byteCount }
    let stated = factFrames * Int64(format.bytesPerPacket)
    return (0..<8).contains(byteCount - stated) ? stated : byteCount
  }

  mutating func stepAudio(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    if packets != nil {
      if let step = packets!.step(bytes, at: offset, isEnd: isEnd, facts: &facts) { return step }
    } else if mpeg != nil {
      let step = try mpeg!.step(bytes, at: offset, isEnd: isEnd)
      let wasReady = facts.isReady
      takeFacts()
      if facts.isReady, !wasReady { takeDetails() }
      if case .found = step { takeDetails() }
      if let step { return step }
    }
    guard let next = data?.next else { return rest() }
    state = .chunkHeader
    return .skip(max(0, next - offset))
  }

  /// Copies the facts found in the frames.
  private mutating func takeFacts() {
    guard let mpeg, let format else { return }
    let isWhole = facts.isWhole
    facts = mpeg.facts(
      fileFormat: facts.fileFormat,
      nominalBitRate: format.averageBytesPerSecond > 0
        ? Int(format.averageBytesPerSecond) * 8 : nil,
      frameCount: isWhole ? nil : factFrames ?? sizes?.frames)
    facts.isWhole = isWhole
  }

  private mutating func takeDetails() {
    guard let mpeg else { return }
    details.channelLayout = mpeg.parser.details.channelLayout
    details.tags = mpeg.parser.details.tags
  }

  func seekTarget(packet: Int64) throws(AudioFileStreamError) -> AudioFileStreamSeekTarget {
    if let mpeg { return try mpeg.parser.seekTarget(packet: packet) }
    guard let packets else { preconditionFailure("a seek before the audio") }
    return packets.seekTarget(packet: packet)
  }

  func packet(atByte byteOffset: Int64) -> AudioBytePacketTranslation? {
    if let mpeg { return mpeg.parser.packet(atByte: byteOffset) }
    let size = Int64(facts.dataFormat?.bytesPerPacket ?? 1)
    return AudioBytePacketTranslation(
      byte: byteOffset, packet: byteOffset / size, byteOffsetInPacket: byteOffset % size,
      isEstimated: false)
  }

  mutating func reposition(to target: AudioFileStreamSeekTarget) {
    packets?.reposition(to: target.firstPacket)
    if mpeg != nil {
      mpeg!.reposition(to: target)
      takeFacts()
    }
    state = .audio
  }
}

extension WaveParser {
  /// A reader for a chunk that can hold a tag; nil for all other chunks.
  private static func tag(_ chunk: WaveChunk) -> ChunkTag? {
    guard let byteCount = chunk.byteCount else { return nil }
    return switch chunk.kind {
    case .list: ChunkTag(.infoList, byteCount: byteCount)
    case .id3v2: ChunkTag(.id3v2, byteCount: byteCount)
    default: nil
    }
  }

  mutating func beginTag() {
    tag = Self.tag(chunk)
    statementsBefore = details.tags.statementCount
    state = .tag
  }

  mutating func stepTag(_ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool) -> ParserStep {
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

  /// Reads the tags after the audio if the stream's last bytes hold every chunk from there on.
  private mutating func readTagsInTail() {
    guard let total = context.totalByteCount, let next = data?.next, next <= total else { return }
    let tail = context.tail
    var place = next - (total - Int64(tail.count))
    while place >= 0, Int64(tail.count) - place >= Int64(form.chunkHeaderBytes) {
      let header = tail.span.extracting(Int(place)..<tail.count)
      guard
        let chunk = form.chunk(
          header, at: total - Int64(tail.count) + place, sizes: sizes, formEnd: formEnd),
        let chunkNext = chunk.next
      else { return }
      let start = Int(place) + form.chunkHeaderBytes
      if var tag = Self.tag(chunk) {
        let end = min(tail.count, start + Int(chunk.byteCount ?? 0))
        tag.read(tail.span.extracting(start..<end), into: &details.tags)
      }
      place = chunkNext - (total - Int64(tail.count))
    }
  }
}
