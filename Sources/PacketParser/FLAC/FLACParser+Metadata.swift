// SPDX-License-Identifier: MIT

extension FLACParser {
  /// Reads the metadata blocks (RFC 9639 section 8) as their bytes arrive.
  mutating func stepMetadata(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    switch state {
    case .signature:
      guard bytes.count >= 4 else { return try need(4, at: offset, isEnd: isEnd) }
      guard bytes.has("fLaC", at: 0) else {
        throw AudioFileStreamError(.invalidFile, at: offset, "the FLAC file lacks its signature")
      }
      state = .blockHeader
      return .skip(4)
    case .blockHeader:
      return try stepBlockHeader(bytes, at: offset, isEnd: isEnd)
    case .streamInfo(let left):
      guard bytes.count >= FLACStreamInfo.byteCount else {
        return try need(FLACStreamInfo.byteCount, at: offset, isEnd: isEnd)
      }
      guard let info = FLACStreamInfo(bytes) else {
        throw AudioFileStreamError(
          .invalidFile, at: offset, "the FLAC file's stream information contradicts itself")
      }
      if streams.count > 1 { streams.removeLast() }
      streams.append(info)
      hasStreamInfo = true
      return endBlock(.skip(left))
    case .seekTable(let left):
      guard let piece = try piece(bytes, left, at: offset, isEnd: isEnd) else { return .need(1) }
      if !facts.isReady { seekTable.read(bytes.extracting(0..<piece)) }
      state = .seekTable(left: left - Int64(piece))
      return passed(piece, left)
    case .comments(var reader, let left):
      guard let piece = try piece(bytes, left, at: offset, isEnd: isEnd) else { return .need(1) }
      reader.read(bytes.extracting(0..<piece), into: &details.tags)
      channelMask = reader.channelMask ?? channelMask
      state = .comments(reader, left: left - Int64(piece))
      return passed(piece, left)
    case .picture(var reader, let left):
      guard let piece = try piece(bytes, left, at: offset, isEnd: isEnd) else { return .need(1) }
      reader.read(bytes.extracting(0..<piece), into: &details.tags)
      if let unwanted = reader.unwantedByteCount, Int64(unwanted) <= left - Int64(piece) {
        reader.passUnwanted(into: &details.tags)
        return endBlock(.skip(left))
      }
      state = .picture(reader, left: left - Int64(piece))
      return passed(piece, left)
    case .firstFrame, .frames, .boundary:
      preconditionFailure("the metadata have ended")
    }
  }

  private mutating func stepBlockHeader(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    guard bytes.count >= 4 else { return try need(4, at: offset, isEnd: isEnd) }
    let type = bytes[0] & 0x7F
    let length = Int64(bytes.bigEndian32(at: 0) & 0xFF_FFFF)
    isLastBlock = bytes[0] & 0x80 != 0
    guard hasStreamInfo || type == 0 else {
      throw AudioFileStreamError(
        .invalidFile, at: offset, "the FLAC file does not begin with its stream information")
    }
    switch type {
    case 0 where !hasStreamInfo:
      guard length >= Int64(FLACStreamInfo.byteCount) else {
        throw AudioFileStreamError(
          .invalidFile, at: offset, "the FLAC file's stream information is too short")
      }
      state = .streamInfo(left: length)
    case 3 where length > 0: state = .seekTable(left: length)
    case 4 where length > 0: state = .comments(VorbisCommentReader(), left: length)
    case 6 where length > 0: state = .picture(FLACPictureReader(), left: length)
    case 127:
      throw AudioFileStreamError(
        .invalidFile, at: offset, "the FLAC file has a metadata block of the forbidden type")
    default: return endBlock(.skip(4 + length))
    }
    return .skip(4)
  }

  /// Returns the bytes of a block that are present; nil if none are.
  private func piece(
    _ bytes: Span<UInt8>, _ left: Int64, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> Int? {
    if bytes.isEmpty {
      _ = try need(1, at: offset, isEnd: isEnd)
      return nil
    }
    return Int(min(Int64(bytes.count), left))
  }

  private mutating func passed(_ piece: Int, _ left: Int64) -> ParserStep {
    Int64(piece) == left ? endBlock(.skip(left)) : .skip(Int64(piece))
  }

  private mutating func endBlock(_ step: ParserStep) -> ParserStep {
    state = isLastBlock ? .firstFrame : .blockHeader
    return step
  }

  /// Begins another stream, whose signature is here: files were joined.
  mutating func beginStream() {
    hasStreamInfo = false
    channelMask = nil
    tagsBefore = details.tags.info
    let limit = details.tags.pictureByteLimit
    details.tags = TagCollector()
    details.tags.pictureByteLimit = limit
    state = .signature
  }

  /// Resumes at the frames of another stream. If its format differs, the first frame reports it.
  mutating func resume() -> ParserStep {
    state = .frames
    if !facts.isWhole, isUnbroken, let info, let stated = facts.statedFrameCount {
      facts.statedFrameCount = streams.last?.totalFrames.map {
        stated
          + StreamFacts.frames(
            $0, at: Double(info.sampleRate), from: Double(streams.last?.sampleRate ?? 1))
      }
    }
    return details.tags.info == tagsBefore ? .skip(0) : .found(.infoDictionary)
  }

  private func need(
    _ byteCount: Int, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    if !isEnd { return .need(byteCount) }
    throw AudioFileStreamError(
      .invalidFile, at: offset, "the FLAC file ends before its audio begins")
  }
}
