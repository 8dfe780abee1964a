// SPDX-License-Identifier: MIT

import AudioModel

/// A RIFF WAVE file: chunks, of which `fmt ` and `data` matter. A packet is a frame.
struct WaveParser: ContainerParser {
  private enum State {
    case riffHeader
    case chunkHeader
    case formatChunk(byteCount: UInt32)
    /// The audio begins here.
    case firstByte
    case data
    /// Behind the audio.
    case rest
  }

  private(set) var facts = StreamFacts()
  private(set) var details: StreamDetails
  let descriptions: [AudioStreamPacketDescription] = []
  private var state = State.riffHeader
  /// The form's end by its own statement, from the stream's start; nil when that is a placeholder.
  private var riffEnd: Int64?
  private var bytesPerFrame = 0
  /// Bytes of audio still to come; nil when the file does not say how many.
  private var dataLeft: Int64?
  private var nextPacket: Int64 = 0
  private var isUnbroken = true
  /// Bytes of a frame that the input's end cut, and where.
  private var cutFrame: (byteCount: Int64, offset: Int64)?

  init(_ context: ParserContext) {
    details = StreamDetails(context)
  }

  mutating func step(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    switch state {
    case .riffHeader: return try stepRIFFHeader(bytes, at: offset, isEnd: isEnd)
    case .chunkHeader: return try stepChunkHeader(bytes, at: offset, isEnd: isEnd)
    case .formatChunk(let byteCount):
      return try stepFormat(bytes, byteCount: byteCount, at: offset, isEnd: isEnd)
    case .firstByte:
      state = .data
      facts.isReady = true
      return .ready
    case .data: return stepData(bytes, at: offset, isEnd: isEnd)
    case .rest:
      if !bytes.isEmpty { return .skip(Int64(bytes.count)) }
      return isEnd ? endOfInput() : .need(1)
    }
  }

  private mutating func stepRIFFHeader(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    guard bytes.count >= 12 else { return try need(12, at: offset, isEnd: isEnd) }
    let size = bytes.littleEndian32(at: 4)
    riffEnd = size == 0 || size == UInt32.max ? nil : offset + 8 + Int64(size)
    facts.fileFormat = .wave
    state = .chunkHeader
    return .skip(12)
  }

  private mutating func stepChunkHeader(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    guard bytes.count >= 8 else { return try need(8, at: offset, isEnd: isEnd) }
    let size = bytes.littleEndian32(at: 4)
    if bytes.has("fmt ", at: 0), facts.dataFormat == nil {
      state = .formatChunk(byteCount: size)
      return .skip(8)
    }
    guard bytes.has("data", at: 0) else {
      return .skip(8 + Int64(size) + Int64(size & 1))
    }
    guard facts.dataFormat != nil else {
      throw AudioFileStreamError(
        .invalidFile, at: offset, "the WAVE file's data come before their format")
    }
    beginData(at: offset + 8, size: size)
    return .skip(8)
  }

  private mutating func stepFormat(
    _ bytes: Span<UInt8>, byteCount: UInt32, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    let wanted = min(Int(byteCount), WaveFormat.maximumBytes)
    guard bytes.count >= wanted else { return try need(wanted, at: offset, isEnd: isEnd) }
    let format = try WaveFormat(bytes.extracting(0..<wanted), at: offset)
    bytesPerFrame = Int(format.dataFormat.bytesPerFrame)
    facts.dataFormat = format.dataFormat
    details.channelLayout = format.channelLayout.map { AudioChannelLayout($0) }
    facts.packetSizeUpperBound = bytesPerFrame
    facts.constantBitRate = Int(format.dataFormat.sampleRate) * bytesPerFrame * 8
    state = .chunkHeader
    return .skip(Int64(byteCount) + Int64(byteCount & 1))
  }

  /// Programs that write to a pipe leave 0 or FFFFFFFF for the size, which then is unknown; a size
  /// of 0 is true only if the form goes on behind the chunk.
  private mutating func beginData(at offset: Int64, size: UInt32) {
    facts.dataOffset = offset
    let isTrulyEmpty = size == 0 && (riffEnd ?? 0) > offset
    if size != UInt32.max, size > 0 || isTrulyEmpty {
      let whole = Int64(size) / Int64(bytesPerFrame) * Int64(bytesPerFrame)
      dataLeft = whole
      facts.statedByteCount = whole
      facts.statedPacketCount = whole / Int64(bytesPerFrame)
    }
    state = .firstByte
  }

  private mutating func stepData(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) -> ParserStep {
    if dataLeft == 0 {
      state = .rest
      return .skip(0)
    }
    let available = Int(min(Int64(bytes.count), dataLeft ?? .max))
    let count = available / bytesPerFrame
    guard count > 0 else {
      if !isEnd { return .need(bytesPerFrame) }
      state = .rest
      if available > 0 { cutFrame = (Int64(available), offset) }
      return .skip(Int64(available))
    }
    let byteCount = count * bytesPerFrame
    dataLeft? -= Int64(byteCount)
    facts.packetsSeen += Int64(count)
    facts.bytesSeen += Int64(byteCount)
    defer { nextPacket += Int64(count) }
    return .packets(.shown(first: nextPacket, count: count, byteCount: byteCount))
  }

  private mutating func endOfInput() -> ParserStep {
    if let cut = cutFrame {
      cutFrame = nil
      return .skipped(byteCount: cut.byteCount, at: cut.offset)
    }
    facts.isWhole = isUnbroken
    return .finished
  }

  private func need(
    _ byteCount: Int, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    if !isEnd { return .need(byteCount) }
    throw AudioFileStreamError(
      .invalidFile, at: offset, "the WAVE file ends before its audio data begin")
  }

  func seekTarget(packet: Int64) -> AudioFileStreamSeekTarget {
    AudioFileStreamSeekTarget(
      packet: packet, byteOffset: packet * Int64(bytesPerFrame), isEstimated: false)
  }

  mutating func reposition(to target: AudioFileStreamSeekTarget) {
    nextPacket = target.firstPacket
    isUnbroken = false
    facts.isWhole = false
    dataLeft = facts.statedByteCount.map { max(0, $0 - target.byteOffset) }
    cutFrame = nil
    state = .data
  }

  mutating func loseContinuity(at offset: Int64) throws(AudioFileStreamError) {
    throw AudioFileStreamError(
      .discontinuityCantRecover, at: offset,
      "WAVE data can only go on at a place that was sought: seek first")
  }
}
