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
  /// The stream as it is now.
  private var stream: CodedStreamDescription?
  /// The format is new: the next packet begins a stream.
  private var streamStart: CodedStreamDescription?
  /// Frames from the current stream's first to the next packet.
  private var nextFrame: Int64 = 0
  /// What the container calls the current stream's first frame; nil until it has said.
  private var firstFrame: Int64?
  /// The number of the last packet that was met.
  private(set) var lastPacketSeen: Int64?
  /// A jump has led elsewhere: the next run has to say where that is.
  private var isAfterJump = false
  /// What ends before the first of these is dropped, and what begins before the second is cut.
  private var keptFrom = Int64.min
  private var heardFrom: Int64 = 0
  /// The first frame that is kept and heard since the jump.
  private var firstHeardFrame: Int64?
  /// A packet was met of which the decoder makes up noise.
  private(set) var substitutesNoise = false
  /// What the station says of the packets.
  private var titles = StreamTitles()

  init(location: String, generation: UInt32) {
    self.location = location
    self.generation = generation
  }

  /// Frames of the first format to the next packet; nil before there is one, and once another format
  /// has come.
  var nextDecodedFrame: Int64? { format != nil && firstFrame == 0 ? nextFrame : nil }

  /// The decoded frame that is a frame of sound.
  func decodedFrame(ofSound frame: Int64) -> Int64 {
    frame.addingReportingOverflow(trimming.firstFrame).partialValue
  }

  /// The frame of sound that is a decoded frame; the first for what is before it.
  func soundFrame(ofDecoded frame: Int64) -> Int64 {
    max(0, frame.subtractingReportingOverflow(trimming.firstFrame).partialValue)
  }

  /// The frame of sound that the packets since the jump begin with; nil when there is none.
  var firstSoundFrame: Int64? {
    firstHeardFrame.map { max(0, $0 - trimming.firstFrame) }
  }

  /// What comes next is from elsewhere: drops what is here, and everything up to a frame.
  ///
  /// - Parameters:
  ///   - heard: the first decoded frame that is heard.
  ///   - kept: the first one that the decoder has to see.
  mutating func jump(to heard: Int64, from kept: Int64, generation: UInt32) {
    output.packets.removeAll()
    self.generation = generation
    isAfterJump = true
    // From the start even a packet without a frame is kept: Vorbis' first one is such.
    (keptFrom, heardFrom, firstHeardFrame) = (kept > 0 ? kept : .min, heard, nil)
    streamStart = streamStart ?? stream
    titles.forgetLast()
  }

  mutating func streamDriver(found metadata: StreamMetadata) {
    titles.note(metadata)
  }

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, found property: AudioFileStreamPropertyID
  ) {
    // The first format is taken up when everything is known; a later one when it comes.
    let isReady = property == .readyToProducePackets
    guard isReady || (property == .dataFormat && format != nil) else { return }
    guard let format = try? stream.dataFormat else { return }
    let isFirst = self.format == nil
    self.format = format
    nextFrame = 0
    firstFrame = isFirst ? 0 : nil
    let description = CodedStreamDescription(
      format: format, layout: try? stream.channelLayout,
      magicCookie: (try? stream.magicCookieData) ?? [],
      freeFormatFrameByteCount: try? stream.freeFormatFrameByteCount)
    self.stream = description
    streamStart = description
    if !isFirst { (keptFrom, heardFrom) = (.min, 0) }
    // The delay and padding of a file are those of its first format's packets.
    trimming = .none
    if isFirst, let fileFormat = try? stream.fileFormat {
      trimming = EdgeTrimming(
        try? stream.packetTableInfo, format: format.formatID, fileFormat: fileFormat)
      if trimming == .none, format.formatID == .opus {
        trimming = EdgeTrimming(opusHeader: description.magicCookie)
      }
      let tags = try? stream.infoDictionary
      output.information = TrackInformation(
        location: location, fileFormat: fileFormat, dataFormat: format,
        durationNanoseconds: duration(of: stream, format: format),
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
    if isAfterJump {
      isAfterJump = false
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
      if let sound = packets.soundFrames {
        let told = EdgeTrimming(soundFrames: sound.shifted(by: -first))
        // A jump before the first packet did not know where the sound begins.
        if heardFrom > 0 { heardFrom &+= told.firstFrame &- trimming.firstFrame }
        trimming = told
      }
    }
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
  }

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, skipped byteCount: Int64, at byteOffset: Int64
  ) {
    output.skipped.append((byteCount, byteOffset))
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
    if firstHeardFrame == nil, isHeard { firstHeardFrame = firstFrame + Int64(trims.start) }
    let history = PacketHistory(
      generation: generation, packetIndex: index, firstFrame: firstFrame, frameCount: frames,
      trimStartFrames: trims.start, trimEndFrames: trims.end, byteOffset: byteOffset,
      durationNanoseconds: Self.nanoseconds(Double(heardFrames) / format.sampleRate))
    output.packets.append(
      bytes, history: history, startsStream: streamStart,
      said: isHeard ? titles.news(at: byteOffset) : nil)
    streamStart = nil
  }

  /// The packet table's valid frames are the sound; anything else is the parser's best evidence.
  private func duration(
    of stream: borrowing AudioFileStream, format: AudioStreamBasicDescription
  ) -> UInt64? {
    if let frames = trimming.frameCount {
      return Self.nanoseconds(Double(frames) / format.sampleRate)
    }
    return (try? stream.duration).map { Self.nanoseconds($0.seconds) }
  }

  /// A time that a file claims, brought inside what can be: 0 to 2 to the 60th, 36 years.
  private static func nanoseconds(_ seconds: Double) -> UInt64 {
    let nanoseconds = seconds * 1_000_000_000
    return nanoseconds > 0 ? UInt64(min(nanoseconds, 0x1p60)) : 0
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
