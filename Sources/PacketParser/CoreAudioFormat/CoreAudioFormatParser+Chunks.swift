// SPDX-License-Identifier: MIT

import AudioModel

/// The chunks before and after the audio.
extension CoreAudioFormatParser {
  /// Bytes of a chunk's type and size.
  private static let chunkHeaderBytes = 12
  /// Bytes of the packet table before its entries.
  private static let tableHeaderBytes = 24
  /// Bytes of the edit count at the start of the data chunk.
  private static let editCountBytes: Int64 = 4

  mutating func stepChunks(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    let wanted =
      switch state {
      case .fileHeader: 8
      case .chunkHeader: Self.chunkHeaderBytes
      case .content(let content, let byteCount): Int(min(byteCount, Self.bound(content)))
      case .packetTableHeader: Self.tableHeaderBytes
      default: 0
      }
    guard bytes.count >= wanted else {
      return try isEnd ? endOfChunks(at: offset) : .need(wanted)
    }
    switch state {
    case .fileHeader: return try readFileHeader(bytes, at: offset)
    case .content(let content, let byteCount):
      return try read(content, bytes.extracting(0..<wanted), byteCount: byteCount, at: offset)
    case .packetTableHeader(let byteCount):
      return try readTableHeader(bytes, byteCount: byteCount, at: offset)
    case .packetTable(let entries, let byteCount):
      return try readTable(bytes, entries: entries, byteCount: byteCount, at: offset, isEnd: isEnd)
    default: return try readChunkHeader(bytes, at: offset)
    }
  }

  /// Handles the end of the input: normal after the audio, an error before it.
  mutating func endOfChunks(at offset: Int64) throws(AudioFileStreamError) -> ParserStep {
    if facts.isReady { return endOfInput() }
    let message =
      facts.dataOffset == nil
      ? "the Core Audio Format file ends before its audio data begin"
      : "the Core Audio Format file ends without the packet table that its encoding needs"
    throw AudioFileStreamError(.invalidFile, at: offset, message)
  }

  private mutating func readFileHeader(
    _ bytes: Span<UInt8>, at offset: Int64
  ) throws(AudioFileStreamError) -> ParserStep {
    let version = bytes.bigEndian16(at: 4)
    guard version == 1 else {
      throw AudioFileStreamError(
        .unsupportedFileType, at: offset,
        "the Core Audio Format file has version \(version), and only version 1 is known")
    }
    facts.fileFormat = .caf
    state = .chunkHeader
    return .skip(8)
  }

  private mutating func readChunkHeader(
    _ bytes: Span<UInt8>, at offset: Int64
  ) throws(AudioFileStreamError) -> ParserStep {
    let size = Int64(bitPattern: bytes.bigEndian64(at: 4))
    let content = offset + Int64(Self.chunkHeaderBytes)
    let isData = bytes.has("data", at: 0)
    guard size >= 0 || (isData && size == -1), size <= Self.maximumOffset - content else {
      // After the audio, malformed chunks are ignored.
      if facts.isReady {
        state = .rest
        return .skip(0)
      }
      throw AudioFileStreamError(
        .invalidFile, at: offset,
        "the Core Audio Format file has a chunk of \(size) bytes, which cannot be")
    }
    if isData, facts.dataOffset == nil { return try beginData(at: content, size: size) }
    // A second data chunk of unknown size extends to the end.
    if size == -1 {
      state = .rest
      return .skip(0)
    }
    if bytes.has("info", at: 0) {
      state = .content(.information, byteCount: size)
    } else if bytes.has("pakt", at: 0), !hasMetTable {
      state = .packetTableHeader(byteCount: size)
    } else if facts.isReady {
      return .skip(content - offset + size)
    } else if bytes.has("desc", at: 0), facts.dataFormat == nil {
      state = .content(.description, byteCount: size)
    } else if bytes.has("kuki", at: 0) {
      state = .content(.magicCookie, byteCount: size)
    } else if bytes.has("chan", at: 0) {
      state = .content(.channelLayout, byteCount: size)
    } else {
      return .skip(content - offset + size)
    }
    return .skip(content - offset)
  }

  /// Bytes of a chunk that are examined.
  private static func bound(_ content: Content) -> Int64 {
    switch content {
    case .description: Int64(CoreAudioDescription.byteCount)
    case .magicCookie: Int64(CoreAudioMagicCookie.maximumBytes)
    case .channelLayout: Int64(StoredChannelLayout.maximumBytes)
    case .information: Int64(CoreAudioInformation.maximumBytes)
    }
  }

  private mutating func read(
    _ content: Content, _ bytes: Span<UInt8>, byteCount: Int64, at offset: Int64
  ) throws(AudioFileStreamError) -> ParserStep {
    state = .chunkHeader
    switch content {
    case .description:
      guard bytes.count == CoreAudioDescription.byteCount else {
        throw AudioFileStreamError(
          .invalidFile, at: offset,
          "the audio description has \(byteCount) bytes, fewer than "
            + "\(CoreAudioDescription.byteCount)")
      }
      facts.dataFormat = try CoreAudioDescription(bytes, at: offset).dataFormat
    case .magicCookie:
      guard byteCount <= CoreAudioMagicCookie.maximumBytes else {
        throw AudioFileStreamError(
          .invalidFile, at: offset, "the magic cookie has \(byteCount) bytes, which cannot be")
      }
      rawCookie = (0..<bytes.count).map { bytes[$0] }
    case .channelLayout:
      rawLayout = (0..<bytes.count).map { bytes[$0] }
    case .information:
      let known = details.tags.info.entries.count
      CoreAudioInformation.read(bytes, into: &details.tags)
      if facts.isReady, details.tags.info.entries.count > known {
        notice = .found(.infoDictionary)
      }
    }
    return .skip(byteCount)
  }

  private mutating func readTableHeader(
    _ bytes: Span<UInt8>, byteCount: Int64, at offset: Int64
  ) throws(AudioFileStreamError) -> ParserStep {
    guard let format = facts.dataFormat else {
      throw AudioFileStreamError(
        .invalidFile, at: offset, "the packet table comes before the audio description")
    }
    guard byteCount >= Self.tableHeaderBytes else {
      throw AudioFileStreamError(
        .invalidFile, at: offset,
        "the packet table has \(byteCount) bytes, fewer than \(Self.tableHeaderBytes)")
    }
    hasMetTable = true
    let valid = Int64(bitPattern: bytes.bigEndian64(at: 8))
    let priming = Int32(bitPattern: bytes.bigEndian32(at: 16))
    let remainder = Int32(bitPattern: bytes.bigEndian32(at: 20))
    // If no frames are valid, the program that wrote the file did not know them.
    if (1...Self.maximumOffset).contains(valid), priming >= 0, remainder >= 0 {
      facts.packetTableInfo = AudioFilePacketTableInfo(
        numberValidFrames: valid, primingFrames: priming, remainderFrames: remainder)
    }
    guard format.needsPacketDescriptions else {
      state = .chunkHeader
      if facts.isReady { notice = .found(.packetTableInfo) }
      return .skip(byteCount)
    }
    let packets = Int64(bitPattern: bytes.bigEndian64(at: 0))
    let left = byteCount - Int64(Self.tableHeaderBytes)
    guard (0...CoreAudioPacketTable.maximumPackets).contains(packets), packets <= left else {
      throw AudioFileStreamError(
        .invalidFile, at: offset,
        "the packet table promises \(packets) packets in \(left) bytes, which cannot be")
    }
    table = CoreAudioPacketTable(format)
    state = .packetTable(entries: packets, byteCount: left)
    return .skip(Int64(Self.tableHeaderBytes))
  }

  /// Reads all entries present.
  private mutating func readTable(
    _ bytes: Span<UInt8>, entries: Int64, byteCount: Int64, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    let shown = bytes.extracting(0..<Int(min(byteCount, Int64(bytes.count))))
    var left = entries
    var place = 0
    reading: while left > 0 {
      switch table?.add(shown, at: place) {
      case .added(let entryBytes):
        place += entryBytes
        left -= 1
      case .isCut, nil:
        break reading
      case .refused(let reason):
        throw AudioFileStreamError(
          .invalidFile, at: offset + Int64(place),
          "the packet table assigns packet \(table?.end.packet ?? 0) \(reason)")
      }
    }
    if left == 0 {
      isTableWhole = true
      state = .chunkHeader
      if facts.dataOffset != nil {
        isTableBehind = true
        try describe(at: offset)
      }
      return .skip(byteCount)
    }
    if Int64(shown.count) == byteCount {
      throw AudioFileStreamError(
        .invalidFile, at: offset + byteCount,
        "the packet table ends before its last \(left) packets")
    }
    if place > 0 {
      state = .packetTable(entries: left, byteCount: byteCount - Int64(place))
      return .skip(Int64(place))
    }
    return try isEnd ? endOfChunks(at: offset) : .need(bytes.count + 1)
  }

  /// Begins the audio, or first skips it to read the table after it.
  private mutating func beginData(
    at offset: Int64, size: Int64
  ) throws(AudioFileStreamError) -> ParserStep {
    guard let format = facts.dataFormat else {
      throw AudioFileStreamError(
        .invalidFile, at: offset, "the audio data come before the audio description")
    }
    guard size == -1 || size >= Self.editCountBytes else {
      throw AudioFileStreamError(
        .invalidFile, at: offset, "the data chunk has \(size) bytes, not even its count of edits")
    }
    facts.dataOffset = offset + Self.editCountBytes
    dataEnd = size == -1 ? nil : offset + size
    if !format.needsPacketDescriptions || isTableWhole {
      try describe(at: offset)
      return .skip(Int64(Self.chunkHeaderBytes) + Self.editCountBytes)
    }
    guard dataEnd != nil else {
      throw AudioFileStreamError(
        .invalidFile, at: offset,
        "the file was never finished: the packet table that its encoding needs is missing")
    }
    guard context.canReposition else {
      throw AudioFileStreamError(
        .notOptimized, at: offset,
        "the packet table lies behind the audio: play the file from a source in which any byte of it "
          + "can be read, such as a disk, or write it again with the table in front")
    }
    state = .chunkHeader
    return .skip(Int64(Self.chunkHeaderBytes) + size)
  }

  /// Combines the content of all chunks.
  private mutating func describe(at offset: Int64) throws(AudioFileStreamError) {
    guard var format = facts.dataFormat, let dataOffset = facts.dataOffset else { return }
    let cookie = CoreAudioMagicCookie(rawCookie.span, formatID: format.formatID)
    details.magicCookie = cookie.bytes
    if format.formatFlags == [] { format.formatFlags = cookie.losslessFlags }
    facts.dataFormat = format
    details.formatList = CoreAudioDescription.formatList(format)
    let channels = format.channelsPerFrame
    var layout = StoredChannelLayout.read(rawLayout.span)
    if rawLayout.isEmpty {
      layout =
        cookie.layoutTag.flatMap { AudioChannelLayout(tag: $0) }
        ?? (channels <= 2 ? AudioChannelLayout(.standard(channels: channels)) : nil)
    }
    details.channelLayout = layout?.labels.count == Int(channels) ? layout : nil
    rawCookie = []
    rawLayout = []
    state = .firstByte
    // The stream's length determines the size of the audio only if the audio extends to its end.
    facts.isDataLast = dataEnd.map { $0 >= context.totalByteCount ?? .max } ?? true
    let size = dataEnd.map { $0 - dataOffset }
    if format.needsPacketDescriptions {
      describeTable(size: size)
      if format.formatID == .flac, cookie.bytes.isEmpty, format.framesPerPacket > 0 {
        state = .blockSize(isLast: isTableBehind)
      }
    } else {
      try describeConstantPackets(format, size: size, at: offset)
    }
  }

  private mutating func describeTable(size: Int64?) {
    if let size { table?.cut(toByteCount: size) }
    guard let table else { return }
    if let info = facts.packetTableInfo, table.end.frame > 0 {
      // The valid frames cannot exceed those of the packets.
      let most = max(0, table.end.frame - Int64(info.primingFrames))
      facts.packetTableInfo?.numberValidFrames = min(info.numberValidFrames, most)
    }
    facts.statedPacketCount = table.end.packet
    facts.statedByteCount = table.end.byteOffset
    facts.statedMaximumPacketSize = table.largest
    facts.packetSizeUpperBound = table.largest
    // Packets without any duration carry no frame count.
    if table.framesPerPacket == 0, table.end.frame >= table.end.packet {
      facts.statedFrameCount = table.end.frame
    }
  }

  private mutating func describeConstantPackets(
    _ format: AudioStreamBasicDescription, size: Int64?, at offset: Int64
  ) throws(AudioFileStreamError) {
    let bytesPerPacket = Int64(format.bytesPerPacket)
    let framesPerPacket = Int64(format.framesPerPacket)
    facts.packetSizeUpperBound = Int(bytesPerPacket)
    let bitsPerPacket = Double(bytesPerPacket * 8)
    facts.constantBitRate = Int(format.sampleRate * bitsPerPacket / Double(framesPerPacket))
    guard let size else { return }
    let packets = format.packets(inBytes: size)
    let (frames, overflow) = packets.multipliedReportingOverflow(by: framesPerPacket)
    guard !overflow, frames <= Self.maximumOffset else {
      throw AudioFileStreamError(
        .invalidFile, at: offset, "the file promises \(packets) packets, which cannot be")
    }
    facts.statedPacketCount = packets
    facts.statedByteCount = format.usableBytes(of: size)
  }
}
