// SPDX-License-Identifier: MIT

import AudioModel

/// A Core Audio Format file (Apple's specification 1.0): chunks, the audio description first. Packets
/// that differ in size or duration need the packet table: before the audio, or after it if the source
/// can be read from any byte offset.
struct CoreAudioFormatParser: ContainerParser {
  enum State {
    case fileHeader
    case chunkHeader
    /// The content of a chunk that is read as a whole.
    case content(Content, byteCount: Int64)
    case packetTableHeader(byteCount: Int64)
    /// Entries and chunk bytes that are still to come.
    case packetTable(entries: Int64, byteCount: Int64)
    /// Reading the header of FLAC's last or first packet, which states the packets' duration.
    case blockSize(isLast: Bool)
    /// All chunks before the audio are known.
    case firstByte
    /// The table was found after the audio; the parser goes back to the audio.
    case back
    case data
    /// After the last packet, with bytes of the audio left over.
    case surplus
    /// At the end; the remaining bytes are skipped.
    case rest
  }

  /// Chunks that are read as a whole.
  enum Content {
    case description, magicCookie, channelLayout, information
  }

  /// The greatest byte offset accepted, so that sums of byte offsets do not overflow.
  static let maximumOffset: Int64 = 1 << 50
  /// Packets delivered in one call at most, which bounds the memory for their descriptions.
  static let maximumPacketsPerBatch = 512

  var facts = StreamFacts()
  var details: StreamDetails
  private(set) var descriptions: [AudioStreamPacketDescription] = []
  let context: ParserContext
  var state = State.fileHeader
  var table: CoreAudioPacketTable?
  /// Whether a packet table began: only the first one counts.
  var hasMetTable = false
  /// Whether the table was read to its last entry.
  var isTableWhole = false
  /// Whether the audio was skipped on the way to the table.
  var isTableBehind = false
  /// Frames of the last packet, as stated by its own header.
  var lastBlockSize: Int?
  /// A step to return before anything else.
  var notice: ParserStep?
  var rawLayout: [UInt8] = []
  var rawCookie: [UInt8] = []
  /// The stream offset of the audio's end; nil if the file does not state it.
  var dataEnd: Int64?
  /// The next packet.
  var next = CoreAudioPacketTable.Place()
  var isUnbroken = true
  /// Bytes of the audio that belong to no packet, and their stream offset.
  var left: (byteCount: Int64, offset: Int64) = (0, 0)

  init(_ context: ParserContext) {
    self.context = context
    details = StreamDetails(context)
  }

  mutating func step(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    if let notice {
      self.notice = nil
      return notice
    }
    switch state {
    case .fileHeader, .chunkHeader, .content, .packetTableHeader, .packetTable:
      return try stepChunks(bytes, at: offset, isEnd: isEnd)
    case .blockSize(let isLast):
      return stepBlockSize(bytes, at: offset, isEnd: isEnd, isLast: isLast)
    case .firstByte:
      state = isTableBehind ? .back : .data
      facts.isReady = true
      return .ready
    case .back:
      state = .data
      return .goTo(facts.dataOffset ?? 0)
    case .data:
      return table == nil
        ? stepConstantPackets(bytes, at: offset, isEnd: isEnd)
        : stepPackets(bytes, at: offset, isEnd: isEnd)
    case .surplus: return stepSurplus(bytes, at: offset, isEnd: isEnd)
    case .rest:
      if !bytes.isEmpty { return .skip(Int64(bytes.count)) }
      return try isEnd ? endOfChunks(at: offset) : .need(1)
    }
  }

  /// Delivers packets of one size and duration, side by side.
  private mutating func stepConstantPackets(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) -> ParserStep {
    let format =
      facts.dataFormat ?? AudioStreamBasicDescription(sampleRate: 0, formatID: .linearPCM)
    let bytesPerPacket = Int64(max(1, format.bytesPerPacket))
    let inData = max(0, dataEnd.map { $0 - offset } ?? .max)
    let available = min(Int64(bytes.count), inData)
    let count = available / bytesPerPacket
    descriptions = []
    guard count > 0 else {
      let wanted = min(bytesPerPacket, inData)
      if available < wanted, !isEnd { return .need(Int(wanted)) }
      state = .surplus
      guard format.frames(ofShortPacket: available) > 0 else { return .skip(0) }
      descriptions = [
        AudioStreamPacketDescription(
          startOffset: 0, variableFramesInPacket: 0, dataByteSize: UInt32(available))
      ]
      defer { next.packet += 1 }
      if !facts.isWhole {
        facts.packetsSeen += 1
        facts.bytesSeen += available
      }
      return .packets(.shown(first: next.packet, count: 1, byteCount: Int(available)))
    }
    let first = next.packet
    next.packet += count
    next.byteOffset += count * bytesPerPacket
    if !facts.isWhole {
      facts.packetsSeen += count
      facts.bytesSeen += count * bytesPerPacket
    }
    return .packets(
      .shown(first: first, count: Int(count), byteCount: Int(count * bytesPerPacket)))
  }

  /// Delivers packets that the table describes.
  private mutating func stepPackets(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) -> ParserStep {
    guard let table else { preconditionFailure("there is no packet table") }
    descriptions.removeAll(keepingCapacity: true)
    let hasFrames = table.framesPerPacket == 0
    let first = next
    var place = 0
    var largest = 0
    var missing = 0
    while descriptions.count < Self.maximumPacketsPerBatch {
      var following = next
      guard let packet = table.next(&following) else { break }
      guard bytes.count - place >= packet.byteCount else {
        missing = Int(packet.byteCount)
        break
      }
      descriptions.append(
        AudioStreamPacketDescription(
          startOffset: Int64(place), variableFramesInPacket: hasFrames ? UInt32(packet.frames) : 0,
          dataByteSize: UInt32(packet.byteCount)))
      largest = max(largest, Int(packet.byteCount))
      place += Int(packet.byteCount)
      next = following
    }
    if descriptions.isEmpty {
      if missing > 0, !isEnd { return .need(missing) }
      state = .surplus
      return .skip(0)
    }
    if !facts.isWhole {
      facts.packetsSeen += Int64(descriptions.count)
      facts.bytesSeen += Int64(place)
      if hasFrames { facts.framesSeen += next.frame - first.frame }
      facts.largestPacketSeen = max(facts.largestPacketSeen, largest)
    }
    return .packets(
      .shown(
        first: first.packet, count: descriptions.count, byteCount: place,
        firstFrame: hasFrames ? first.frame : nil))
  }

  /// Skips the rest of the audio: less than a packet, or more than the table describes.
  private mutating func stepSurplus(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) -> ParserStep {
    let inData = dataEnd.map { $0 - offset } ?? .max
    let byteCount = min(inData, Int64(bytes.count))
    if byteCount > 0 {
      if left.byteCount == 0 { left.offset = offset }
      left.byteCount += byteCount
      return .skip(byteCount)
    }
    if inData > 0, !isEnd { return .need(1) }
    state = .chunkHeader
    guard left.byteCount > 0 else { return .skip(0) }
    defer { left = (0, 0) }
    // An incomplete packet, if the table has more packets or the input ends within the audio.
    var following = next
    let packet = table?.next(&following)
    let isCut = table.map { packet != nil || $0.isCut } ?? (inData > 0)
    return .skipped(
      AudioFileStreamGap(
        isCut ? .cut : .foreignBytes, byteOffset: left.offset, byteCount: left.byteCount,
        frameCount: packet.flatMap { $0.frames > 0 ? $0.frames : nil }))
  }

  /// After a seek, counts the frames of the table's packets that did not arrive.
  func missingFrameCount(at end: Int64, isUnbroken: Bool) -> Int64 {
    guard !isUnbroken, let table else {
      return facts.missingFrameCount(at: end, isUnbroken: isUnbroken)
    }
    if table.framesPerPacket > 0 { return facts.missingFrameCount(fromPacket: next.packet) }
    return facts.soundFrames((facts.statedFrameCount ?? 0) - next.frame, from: next.frame)
  }

  mutating func endOfInput() -> ParserStep {
    facts.isWhole = facts.isWhole || isUnbroken
    return .finished
  }
}
