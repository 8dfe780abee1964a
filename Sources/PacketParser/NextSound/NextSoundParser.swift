// SPDX-License-Identifier: MIT

import AudioModel

/// A NeXT or Sun sound file, `.snd` and `.au`: a header, a remark, and the sound.
struct NextSoundParser: ContainerParser {
  private enum State {
    case header
    case annotation
    /// The audio begins here.
    case firstByte
    case audio
    /// After the sound.
    case rest
  }

  private(set) var facts = StreamFacts()
  private(set) var details: StreamDetails
  var descriptions: [AudioStreamPacketDescription] { packets?.descriptions ?? [] }
  private var state = State.header
  private var packets: ConstantPackets?

  init(_ context: ParserContext) {
    details = StreamDetails(context)
  }

  mutating func step(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    switch state {
    case .header:
      guard bytes.count >= 24 else { return try need(24, at: offset, isEnd: isEnd) }
      try readHeader(bytes, at: offset)
      return .skip(24)
    case .annotation: return try stepAnnotation(bytes, at: offset, isEnd: isEnd)
    case .firstByte:
      state = .audio
      facts.isReady = true
      return .ready
    case .audio:
      if let step = packets?.step(bytes, at: offset, isEnd: isEnd, facts: &facts) { return step }
      state = .rest
      return .skip(0)
    case .rest:
      if !bytes.isEmpty { return .skip(Int64(bytes.count)) }
      if !isEnd { return .need(1) }
      facts.isWhole = facts.isWhole || packets?.isUnbroken == true
      return .finished
    }
  }

  private mutating func readHeader(
    _ bytes: Span<UInt8>, at offset: Int64
  ) throws(AudioFileStreamError) {
    let start = bytes.bigEndian32(at: 4)
    let size = bytes.bigEndian32(at: 8)
    let encoding = bytes.bigEndian32(at: 12)
    let sampleRate = bytes.bigEndian32(at: 16)
    let channels = bytes.bigEndian32(at: 20)
    guard start >= 24, (1...1024).contains(channels), (1...3_000_000).contains(sampleRate) else {
      throw AudioFileStreamError(
        .invalidFile, at: offset,
        "the header of the NeXT/Sun sound makes no sense: \(channels) channels, \(sampleRate) Hz, "
          + "sound from byte \(start) on")
    }
    guard
      let format = NextSoundFormat.format(encoding, sampleRate: sampleRate, channels: channels)
    else {
      throw AudioFileStreamError(
        .unsupportedDataFormat, at: offset + 12,
        "the NeXT/Sun sound holds \(NextSoundFormat.name(encoding)), which is not supported: "
          + "convert it to linear PCM first")
    }
    facts.fileFormat = .next
    // Only sound can follow, so a size of 0 is a placeholder, too.
    packets = ConstantPackets(
      format, from: offset + Int64(start),
      byteCount: size == 0 || size == UInt32.max ? nil : Int64(size), facts: &facts)
    if channels <= 2 {
      details.channelLayout = AudioChannelLayout(.standard(channels: channels))
    }
    state = .annotation
  }

  /// Reads the annotation. ffmpeg writes and reads tags here: a key, an equals sign and a text in each
  /// line. Other programs leave a remark, usually their name.
  private mutating func stepAnnotation(
    _ bytes: Span<UInt8>, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    state = .firstByte
    let size = max(0, (facts.dataOffset ?? 0) - offset)
    guard size <= TagCollector.maximumTextBytes else { return .skip(size) }
    guard bytes.count >= size else {
      state = .annotation
      return try need(Int(size), at: offset, isEnd: isEnd)
    }
    for line in ChunkText.string(bytes.extracting(0..<Int(size))).split(separator: "\n") {
      let parts = line.split(separator: "=", maxSplits: 1)
      guard parts.count == 2 else { continue }
      let key = parts[0].lowercased()
      if ["title", "artist", "album", "track", "genre"].contains(key) {
        details.tags.add(AudioTagKey(rawValue: key), String(parts[1]))
      }
    }
    return .skip(size)
  }

  private func need(
    _ byteCount: Int, at offset: Int64, isEnd: Bool
  ) throws(AudioFileStreamError) -> ParserStep {
    if !isEnd { return .need(byteCount) }
    throw AudioFileStreamError(
      .invalidFile, at: offset, "the NeXT/Sun sound ends before its audio data begin")
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
