// SPDX-License-Identifier: MIT

internal import AudioModel
internal import ByteSources
internal import PacketParser
internal import RenderCore

/// Listens to a parser and gives each packet its history: frame number, trims, duration.
struct PacketCollector: StreamDriverListener {
  var output = TrackReader.Output()
  private let location: String
  private(set) var generation: UInt32
  private var format: AudioStreamBasicDescription?
  private var trimming = EdgeTrimming.none
  /// Decoded frames before those that sound now that do not sound: what a decoded frame's number is
  /// lessened by for its number among the frames of sound.
  private var silentFrames: Int64 = 0
  /// The first format, its trimming, and the silent frames before its first sound.
  private var firstFormat: AudioStreamBasicDescription?
  private var firstTrimming = EdgeTrimming.none
  private var firstSilentFrames: Int64 = 0
  /// The packets have the first format.
  private(set) var isFirstFormat = true
  /// The stream as it is now.
  private var stream: CodedStreamDescription?
  /// What comes next is counted from 0 again, whatever its format.
  private var isAnotherStream = false
  /// The format is new: the next packet begins a stream.
  private var streamStart: CodedStreamDescription?
  /// Frames from the track's first to the next packet, at the current format's rate.
  private var nextFrame: Int64 = 0
  /// What the container's count has to be lessened by for that; nil until it has said.
  private var firstFrame: Int64?
  /// The number of the last packet that was met.
  private(set) var lastPacketSeen: Int64?
  /// A jump has led elsewhere: the next run has to say where that is.
  private var isAfterJump = false
  /// The jump that has led to nothing that is heard yet.
  private var jumpUnderWay: Jump?
  /// What ends before the first of these is dropped, and what begins before the second is cut.
  private var keptFrom = Int64.min
  private var heardFrom: Int64 = 0
  /// The frame of sound that the packets since the jump begin with, at the first format's rate; nil when
  /// there is none.
  private(set) var firstSoundFrame: Int64?
  /// The place of that frame was known.
  private var isFirstSoundPlaced = true
  /// The place of the next packet is known: no jump has led into another format whose packets are not counted.
  private var isPlaced = true
  /// The last packets, whose bits the packets of another format behind them may use.
  private var leads = LeadPackets()
  /// A packet was met of which the decoder makes up noise.
  private(set) var substitutesNoise = false
  /// What the station says of the packets.
  private var titles = StreamTitles()

  init(location: String, generation: UInt32) {
    self.location = location
    self.generation = generation
  }

  /// The place that the jump led to is known: what was before it was counted, or the container says it.
  var isJumpPlaced: Bool { firstSoundFrame == nil ? isPlaced : isFirstSoundPlaced }

  /// Frames of the first format to the next packet; nil before there is one, and once another format
  /// has come.
  var nextDecodedFrame: Int64? { format != nil && firstFrame == 0 ? nextFrame : nil }

  /// The decoded frame that is a frame of sound, both of the first format; where the links of a chain have
  /// silent frames of their own and those between are not known, one before it.
  func decodedFrame(ofSound frame: Int64) -> Int64 {
    let isInStretch = isFirstFormat && frame >= trimming.firstFrame &- silentFrames
    guard isInStretch else {
      return frame &+ firstSilentFrames &+ firstTrimming.paddingFrames(beforeSound: frame)
    }
    return frame &+ silentFrames &+ trimming.paddingFrames(beforeSound: frame)
  }

  /// The frame of sound that is a decoded frame; the first for what is before it.
  func soundFrame(ofDecoded frame: Int64) -> Int64 {
    let isInStretch = isFirstFormat && frame >= trimming.firstFrame
    guard isInStretch else {
      return max(0, frame &- firstSilentFrames &- firstTrimming.paddingFrames(before: frame))
    }
    return max(0, frame &- silentFrames &- trimming.paddingFrames(before: frame))
  }

  /// What comes next is from elsewhere: drops what is here, and everything up to a frame.
  ///
  /// - Parameters:
  ///   - frame: the first frame of sound that is heard, at the first format's rate.
  ///   - preRoll: frames before it that the decoder has to see; nil for all.
  mutating func jump(toSound frame: Int64, preRoll: Int64?, generation: UInt32) {
    output.packets.removeAll()
    (output.account.parsedPacketCount, output.account.parsedNanoseconds) = (0, 0)
    self.generation = generation
    isAfterJump = true
    leads = LeadPackets()
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
    // The first format is taken up when everything is known; a later one when it comes.
    let isReady = property == .readyToProducePackets
    guard isReady || (property == .dataFormat && format != nil) else { return }
    guard let format = try? stream.dataFormat else { return }
    let isFirst = self.format == nil
    if !isFirst { renewDuration(stream) }
    if let last = self.format, isAnotherStream || !last.isContinued(by: format) {
      change(from: last, to: format)
    }
    isAnotherStream = false
    leads.lead(from: self.format, to: format)
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
    // No frame number that a file has in earnest comes near 2 to the 60th.
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
    if LeadPackets.areNeeded(for: format) {
      leads.remember(
        descriptions, bytes, packets, nextFrame: nextFrame,
        framesPerPacket: Int32(clamping: format.framesPerPacket), generation: generation)
    }
  }

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, skipped gap: AudioFileStreamGap
  ) {
    output.skipped.append(gap)
    if let loss = SoundLoss(gap, sampleRate: format?.sampleRate ?? 0) { output.account.add(loss) }
  }

  /// What was met since may have changed what is known of the duration: another link, or the end.
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
    let history = PacketHistory(
      generation: generation, packetIndex: index, firstFrame: firstFrame, frameCount: frames,
      trimStartFrames: trims.start, trimEndFrames: trims.end, byteOffset: byteOffset,
      durationNanoseconds: nanoseconds)
    for lead in leads.take() {
      output.packets.append(lead.bytes.span, history: lead.history, startsStream: streamStart)
      streamStart = nil
    }
    output.packets.append(
      bytes, history: history, startsStream: streamStart,
      said: isHeard ? titles.news(at: byteOffset) : nil)
    streamStart = nil
  }

  /// Packets of another format follow. Time goes on; the delay and padding of a file are those of its first
  /// format's packets.
  private mutating func change(
    from last: AudioStreamBasicDescription, to format: AudioStreamBasicDescription
  ) {
    func scaled(_ frames: Int64) -> Int64 {
      Self.frames(frames, at: format.sampleRate, from: last.sampleRate)
    }
    // Behind a jump the container counts as it did before.
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

  /// Finds where the jump leads among the frames that are counted now.
  private mutating func placeJump() {
    guard let jump = jumpUnderWay, let format, let firstFormat else { return }
    func scaled(_ frames: Int64) -> Int64 {
      Self.frames(frames, at: format.sampleRate, from: firstFormat.sampleRate)
    }
    let sound = scaled(jump.frame)
    heardFrom = sound &+ silentFrames &+ trimming.paddingFrames(beforeSound: sound)
    // From the start even a packet without a frame is kept: Vorbis' first one is such.
    keptFrom = jump.preRoll.map { heardFrom &- scaled($0) } ?? .min
  }

  /// The jump has led to this decoded frame.
  private mutating func land(at frame: Int64, _ format: AudioStreamBasicDescription) {
    let rate = firstFormat?.sampleRate ?? format.sampleRate
    let sound = max(0, frame &- silentFrames &- trimming.paddingFrames(before: frame))
    firstSoundFrame = Self.frames(sound, at: rate, from: format.sampleRate)
    isFirstSoundPlaced = isPlaced
    (jumpUnderWay, keptFrom, heardFrom) = (nil, .min, 0)
  }

  /// Frames at one rate that last as long as those at another.
  private static func frames(_ frames: Int64, at rate: Double, from other: Double) -> Int64 {
    guard rate != other, other > 0 else { return frames }
    return Int64(min(max((Double(frames) / other * rate).rounded(), -0x1p60), 0x1p60))
  }

  /// A time that a file claims, brought inside what can be: 0 to 2 to the 60th, 36 years.
  private static func nanoseconds(_ seconds: Double) -> UInt64 {
    let nanoseconds = seconds * 1_000_000_000
    return nanoseconds > 0 ? UInt64(min(nanoseconds, 0x1p60)) : 0
  }
}

/// Where in a track's sound a reader goes.
private struct Jump {
  /// The first frame of sound that is heard.
  var frame: Int64
  /// Frames before it that the decoder has to see; nil for all.
  var preRoll: Int64?
}

extension AudioStreamBasicDescription {
  /// Whether the frames of a stream that goes on in another format are counted on: a new link of a chain,
  /// other channels, or packets that tell their duration from now on.
  fileprivate func isContinued(by other: Self) -> Bool {
    formatID == other.formatID && sampleRate == other.sampleRate
  }
}

extension Range<Int64> {
  /// The same frames counted from another one. An open end stays open.
  fileprivate func shifted(by frames: Int64) -> Range {
    let upper = upperBound == .max ? .max : upperBound.addingReportingOverflow(frames).partialValue
    let lower = lowerBound.addingReportingOverflow(frames).partialValue
    return lower..<Swift.max(lower, upper)
  }
}
