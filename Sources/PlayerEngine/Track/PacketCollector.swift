// SPDX-License-Identifier: MIT

internal import AudioModel
internal import ByteSources
internal import PacketParser
internal import RenderCore

/// Listens to a parser and adds metadata to each packet: frame number, trims, duration.
struct PacketCollector: StreamDriverListener {
  var output = TrackReader.Output()
  private let location: String
  private(set) var flushSerial: UInt32
  private var format: AudioStreamBasicDescription?
  private var trimming = EdgeTrimming.none
  /// Decoded frames without sound before the present ones: a decoded frame's number less these is its number among the
  /// frames of sound.
  private var silentFrames: Int64 = 0
  /// The first format, its trimming, and the silent frames before its first sound.
  private var firstFormat: AudioStreamBasicDescription?
  private var firstTrimming = EdgeTrimming.none
  private var firstSilentFrames: Int64 = 0
  /// Whether the packets have the first format.
  private(set) var isFirstFormat = true
  /// The description of the present stream.
  private var stream: CodedStreamDescription?
  /// The next packets are counted from 0 again, whatever their format.
  private var isAnotherStream = false
  /// The stream that the next packet begins; nil if it begins none.
  private var streamStart: CodedStreamDescription?
  /// Frames from the track's first to the next packet, at the current format's rate.
  private var nextFrame: Int64 = 0
  /// The offset to subtract from the container's frame numbers; nil until it is known.
  private var firstFrame: Int64?
  /// The number of the last packet parsed.
  private(set) var lastPacketSeen: Int64?
  /// A jump was made: the next packets determine the position.
  private var isAfterJump = false
  /// The jump whose first frame of sound has not come yet.
  private var jumpUnderWay: Jump?
  /// Packets that end at or before the first of these are dropped; frames before the second are trimmed.
  private var keptFrom = Int64.min
  private var heardFrom: Int64 = 0
  /// The frame of sound that the packets since the jump begin with, at the first format's rate; nil if there is none.
  private(set) var firstSoundFrame: Int64?
  /// Whether the number of that frame is known.
  private var isFirstSoundPlaced = true
  /// Whether the next packet's frame number is known: false after a jump into another format with uncounted packets.
  private var isPlaced = true
  /// The last packets; packets of a following format may use their bits.
  private var reservoir = ReservoirPackets()
  /// Whether a packet was parsed for which the decoder generates noise.
  private(set) var substitutesNoise = false
  /// The station's titles for the packets.
  private var titles = StreamTitles()

  init(location: String, flushSerial: UInt32) {
    self.location = location
    self.flushSerial = flushSerial
  }

  /// Whether the jump's frame number is known: the packets before it were counted, or the container states it.
  var isJumpPlaced: Bool { firstSoundFrame == nil ? isPlaced : isFirstSoundPlaced }

  /// Frames of the first format before the next packet; nil before that format is known, and once another format has
  /// come.
  var nextDecodedFrame: Int64? { format != nil && firstFrame == 0 ? nextFrame : nil }

  /// Returns the decoded frame of a frame of sound, both of the first format. If the links of a chain have silent
  /// frames and those between are unknown, the result is too early.
  func decodedFrame(ofSound frame: Int64) -> Int64 {
    let isInStretch = isFirstFormat && frame >= trimming.firstFrame &- silentFrames
    guard isInStretch else {
      return frame &+ firstSilentFrames &+ firstTrimming.paddingFrames(beforeSound: frame)
    }
    return frame &+ silentFrames &+ trimming.paddingFrames(beforeSound: frame)
  }

  /// Returns the frame of sound of a decoded frame; 0 for frames before the first sound.
  func soundFrame(ofDecoded frame: Int64) -> Int64 {
    let isInStretch = isFirstFormat && frame >= trimming.firstFrame
    guard isInStretch else {
      return max(0, frame &- firstSilentFrames &- firstTrimming.paddingFrames(before: frame))
    }
    return max(0, frame &- silentFrames &- trimming.paddingFrames(before: frame))
  }

  /// Starts a jump: drops the packets so far, and all sound before a frame.
  ///
  /// - Parameters:
  ///   - frame: the first frame of sound to keep, at the first format's rate.
  ///   - preRoll: frames before it that the decoder needs; nil for all.
  mutating func jump(toSound frame: Int64, preRoll: Int64?, flushSerial: UInt32) {
    output.packets.removeAll()
    (output.account.parsedPacketCount, output.account.parsedNanoseconds) = (0, 0)
    self.flushSerial = flushSerial
    isAfterJump = true
    reservoir = ReservoirPackets()
    jumpUnderWay = Jump(frame: min(frame, 1 << 60), preRoll: preRoll)
    (firstSoundFrame, isFirstSoundPlaced) = (nil, true)
    placeJump()
    streamStart = streamStart ?? stream
    titles.forgetLast()
  }

  mutating func streamDriver(found metadata: StreamMetadata) {
    titles.note(metadata)
  }

  mutating func streamDriverBeganStream() {
    isAnotherStream = true
    titles = StreamTitles()
  }

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, found property: AudioFileStreamPropertyID
  ) {
    // The first format counts once everything is known; a later one at once.
    let isReady = property == .readyToProducePackets
    guard isReady || (property == .dataFormat && format != nil) else { return }
    guard let format = try? stream.dataFormat else { return }
    let isFirst = self.format == nil
    if !isFirst { renewDuration(stream) }
    if let last = self.format, isAnotherStream || !last.isContinued(by: format) {
      change(from: last, to: format)
    }
    isAnotherStream = false
    reservoir.noteFormat(from: self.format, to: format)
    self.format = format
    let description = CodedStreamDescription(
      format: format, layout: try? stream.channelLayout,
      magicCookie: (try? stream.magicCookieData) ?? [],
      freeFormatFrameByteCount: try? stream.freeFormatFrameByteCount)
    self.stream = description
    output.account.streamCount &+= 1
    streamStart = description
    if isFirst, let fileFormat = try? stream.fileFormat {
      firstFrame = 0
      trimming = EdgeTrimming(
        try? stream.packetTableInfo, format: format.formatID, fileFormat: fileFormat)
      if trimming == .none, format.formatID == .opus {
        trimming = EdgeTrimming(opusHeader: description.magicCookie)
      }
      silentFrames = trimming.firstFrame
      (firstFormat, firstTrimming, firstSilentFrames) = (format, trimming, silentFrames)
      let tags = try? stream.infoDictionary
      output.information = TrackInformation(
        location: location, fileFormat: fileFormat, dataFormat: format,
        durationNanoseconds: (try? stream.duration).map { Self.nanoseconds($0.seconds) },
        durationEvidence: (try? stream.duration)?.evidence, bitRate: try? stream.bitRate,
        dataOffset: (try? stream.dataOffset) ?? 0,
        audioDataByteCount: try? stream.audioDataByteCount,
        packetCount: try? stream.audioDataPacketCount,
        packetTable: try? stream.packetTableInfo, title: tags?[.title], artist: tags?[.artist],
        album: tags?[.album], trackNumber: tags?[.track],
        freeFormatFrameBytes: try? stream.freeFormatFrameByteCount)
    }
  }

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, produced packets: AudioFileStreamPackets,
    bytes: Span<UInt8>, descriptions: Span<AudioStreamPacketDescription>
  ) {
    guard let format else { return }
    lastPacketSeen = packets.firstPacketIndex + Int64(packets.packetCount) - 1
    output.account.parsedPacketCount &+= Int64(packets.packetCount)
    if isAfterJump {
      isAfterJump = false
      isPlaced = isFirstFormat
      if let first = try? stream.firstFrame(ofPacket: packets.firstPacketIndex) {
        nextFrame = first
        firstFrame = 0
      }
    }
    // No genuine frame number comes near 2 to the 60th.
    if let told = packets.firstFrame, (0..<1 << 60).contains(told) {
      let first = firstFrame ?? told - nextFrame
      firstFrame = first
      nextFrame = max(0, told - first)
      isPlaced = true
      if let sound = packets.soundFrames {
        trimming = EdgeTrimming(soundFrames: sound.shifted(by: -first))
        silentFrames = trimming.firstFrame &- packets.pastSoundFrames
        if packets.pastSoundFrames == 0 { firstSilentFrames = silentFrames }
      }
    }
    placeJump()
    if descriptions.isEmpty {
      appendRuns(of: bytes, packets: packets, format: format)
      return
    }
    for index in descriptions.indices {
      let description = descriptions[index]
      let start = Int(description.startOffset)
      let frames =
        format.framesPerPacket > 0 ? format.framesPerPacket : description.variableFramesInPacket
      append(
        bytes.extracting(start..<start + Int(description.dataByteSize)),
        index: packets.firstPacketIndex + Int64(index), frames: Int32(clamping: frames),
        byteOffset: packets.byteOffset + description.startOffset, format: format)
    }
    if ReservoirPackets.areNeeded(for: format) {
      reservoir.remember(
        descriptions, bytes, packets, nextFrame: nextFrame,
        framesPerPacket: Int32(clamping: format.framesPerPacket), flushSerial: flushSerial)
    }
  }

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, skipped gap: AudioFileStreamGap
  ) {
    output.skipped.append(gap)
    if let loss = SoundLoss(gap, sampleRate: format?.sampleRate ?? 0) { output.account.add(loss) }
  }

  /// Updates the duration, which another link or the stream's end may have changed.
  mutating func renewDuration(_ stream: borrowing AudioFileStream) {
    guard output.information?.durationNanoseconds != nil, let duration = try? stream.duration
    else { return }
    let nanoseconds = Self.nanoseconds(duration.seconds)
    guard output.information?.durationNanoseconds != nanoseconds else { return }
    output.information?.durationNanoseconds = nanoseconds
    output.information?.durationEvidence = duration.evidence
    output.hasNewDuration = true
  }

  /// Cuts constant-size packets, most often of one frame, into runs.
  private mutating func appendRuns(
    of bytes: Span<UInt8>, packets: AudioFileStreamPackets, format: AudioStreamBasicDescription
  ) {
    let packetBytes = Int(format.bytesPerPacket)
    guard packetBytes > 0 else { return }
    let framesPerPacket = max(1, Int(format.framesPerPacket))
    let bytesPerFrame = (packetBytes + framesPerPacket - 1) / framesPerPacket
    let runFrames = PacketRun.maximumFrames(bytesPerFrame: bytesPerFrame)
    let runPackets = max(1, runFrames / framesPerPacket)
    var done = 0
    while done < packets.packetCount {
      let count = min(runPackets, packets.packetCount - done)
      let start = done * packetBytes
      append(
        bytes.extracting(start..<start + count * packetBytes),
        index: packets.firstPacketIndex + Int64(done),
        frames: Int32(clamping: count * framesPerPacket),
        byteOffset: packets.byteOffset + Int64(start), format: format)
      done += count
    }
  }

  private mutating func append(
    _ bytes: Span<UInt8>, index: Int64, frames: Int32, byteOffset: Int64,
    format: AudioStreamBasicDescription
  ) {
    let firstFrame = nextFrame
    nextFrame += Int64(frames)
    if format.formatID == .mpeg4AAC, !substitutesNoise {
      substitutesNoise = AACBlock.substitutesNoise(bytes)
    }
    guard nextFrame > keptFrom else { return }
    var trims = trimming.trims(firstFrame: firstFrame, frameCount: frames)
    trims.start = max(trims.start, Int32(clamping: min(heardFrom - firstFrame, Int64(frames))))
    trims.end = min(trims.end, frames - trims.start)
    let heardFrames = max(0, frames - trims.start - trims.end)
    let isHeard = heardFrames > 0
    if isHeard, jumpUnderWay != nil { land(at: firstFrame + Int64(trims.start), format) }
    let nanoseconds = Self.nanoseconds(Double(heardFrames) / format.sampleRate)
    output.account.parsedNanoseconds &+= nanoseconds
    output.account.longestPacketNanoseconds = max(
      output.account.longestPacketNanoseconds, nanoseconds)
    let metadata = PacketMetadata(
      flushSerial: flushSerial, packetIndex: index, firstFrame: firstFrame, frameCount: frames,
      trimStartFrames: trims.start, trimEndFrames: trims.end, byteOffset: byteOffset,
      durationNanoseconds: nanoseconds)
    for lead in reservoir.take() {
      output.packets.append(lead.bytes.span, metadata: lead.metadata, startsStream: streamStart)
      streamStart = nil
    }
    output.packets.append(
      bytes, metadata: metadata, startsStream: streamStart,
      said: isHeard ? titles.news(at: byteOffset) : nil)
    streamStart = nil
  }

  /// Notes that packets of another format follow. Time continues; a file's delay and padding belong to its first
  /// format's packets.
  private mutating func change(
    from last: AudioStreamBasicDescription, to format: AudioStreamBasicDescription
  ) {
    func scaled(_ frames: Int64) -> Int64 {
      Self.frames(frames, at: format.sampleRate, from: last.sampleRate)
    }
    // After a jump the container counts as before.
    if !isAfterJump { firstFrame = nil }
    isFirstFormat = isAfterJump && firstFormat?.isContinued(by: format) == true
    if isFirstFormat {
      (trimming, silentFrames) = (firstTrimming, firstSilentFrames)
    } else {
      silentFrames = scaled(silentFrames + trimming.paddingFrames(before: nextFrame))
      trimming = .none
    }
    nextFrame = scaled(nextFrame)
  }

  /// Computes the jump's target in the frames that are counted now.
  private mutating func placeJump() {
    guard let jump = jumpUnderWay, let format, let firstFormat else { return }
    func scaled(_ frames: Int64) -> Int64 {
      Self.frames(frames, at: format.sampleRate, from: firstFormat.sampleRate)
    }
    let sound = scaled(jump.frame)
    heardFrom = sound &+ silentFrames &+ trimming.paddingFrames(beforeSound: sound)
    // From the start, even a packet without a frame is kept, such as Vorbis' first one.
    keptFrom = jump.preRoll.map { heardFrom &- scaled($0) } ?? .min
  }

  /// Ends the jump at this decoded frame.
  private mutating func land(at frame: Int64, _ format: AudioStreamBasicDescription) {
    let rate = firstFormat?.sampleRate ?? format.sampleRate
    let sound = max(0, frame &- silentFrames &- trimming.paddingFrames(before: frame))
    firstSoundFrame = Self.frames(sound, at: rate, from: format.sampleRate)
    isFirstSoundPlaced = isPlaced
    (jumpUnderWay, keptFrom, heardFrom) = (nil, .min, 0)
  }

  /// Converts a number of frames from one rate to another.
  private static func frames(_ frames: Int64, at rate: Double, from other: Double) -> Int64 {
    guard rate != other, other > 0 else { return frames }
    return Int64(min(max((Double(frames) / other * rate).rounded(), -0x1p60), 0x1p60))
  }

  /// Returns a stated time in nanoseconds, clamped to 0 to 2 to the 60th, 36 years.
  private static func nanoseconds(_ seconds: Double) -> UInt64 {
    let nanoseconds = seconds * 1_000_000_000
    return nanoseconds > 0 ? UInt64(min(nanoseconds, 0x1p60)) : 0
  }
}

/// A jump to a frame of a track's sound.
private struct Jump {
  /// The first frame of sound to keep.
  var frame: Int64
  /// Frames before it that the decoder needs; nil for all.
  var preRoll: Int64?
}

extension AudioStreamBasicDescription {
  /// Returns whether frame numbers continue in a following format: a new link of a chain, other channels, or packets
  /// that state their duration from now on.
  fileprivate func isContinued(by other: Self) -> Bool {
    formatID == other.formatID && sampleRate == other.sampleRate
  }
}

extension Range<Int64> {
  /// Returns the same frames counted from another origin. An open end stays open.
  fileprivate func shifted(by frames: Int64) -> Range {
    let upper = upperBound == .max ? .max : upperBound.addingReportingOverflow(frames).partialValue
    let lower = lowerBound.addingReportingOverflow(frames).partialValue
    return lower..<Swift.max(lower, upper)
  }
}
