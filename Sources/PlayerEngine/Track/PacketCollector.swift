// SPDX-License-Identifier: MIT

internal import AudioModel
internal import PacketParser
internal import RenderCore

/// Listens to a parser and gives each packet its history: frame number, trims, duration.
struct PacketCollector: AudioFileStreamListener {
  /// Frames of linear PCM that travel as one packet run, at most; fewer when frames are large.
  private static let maximumRunFrames = 1024
  private static let maximumRunBytes = 16 << 10

  var output = TrackReader.Output()
  private let location: String
  private let generation: UInt32
  private var format: AudioStreamBasicDescription?
  private var trimming = EdgeTrimming.none
  /// The format is new: the next packet begins a stream.
  private var streamStart: PendingPackets.StreamStart?
  /// The packet that the current stream began with.
  private var firstPacketIndex: Int64 = 0
  /// Frames decoded before the next packet, when packets differ in duration.
  private var nextFrame: Int64 = 0

  init(location: String, generation: UInt32) {
    self.location = location
    self.generation = generation
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
    streamStart = PendingPackets.StreamStart(
      format: format,
      layout: (try? stream.channelLayout)?.bitmap
        ?? AudioChannelBitmap.standard(channels: format.channelsPerFrame),
      freeFormatBytes: try? stream.freeFormatFrameByteCount)
    // The delay and padding of a file are those of its first format's packets.
    trimming =
      isFirst ? EdgeTrimming(try? stream.packetTableInfo, format: format.formatID) : .none
    if isFirst, let fileFormat = try? stream.fileFormat {
      output.information = TrackInformation(
        location: location, fileFormat: fileFormat, dataFormat: format,
        durationNanoseconds: duration(of: stream, format: format),
        durationEvidence: (try? stream.duration)?.evidence, bitRate: try? stream.bitRate,
        dataOffset: (try? stream.dataOffset) ?? 0,
        audioDataByteCount: try? stream.audioDataByteCount,
        packetCount: try? stream.audioDataPacketCount,
        packetTable: try? stream.packetTableInfo,
        freeFormatFrameBytes: try? stream.freeFormatFrameByteCount)
    }
  }

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, produced packets: AudioFileStreamPackets,
    bytes: Span<UInt8>, descriptions: Span<AudioStreamPacketDescription>
  ) {
    guard let format else { return }
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
        index: packets.firstPacketIndex + Int64(index), frames: Int32(frames),
        byteOffset: packets.byteOffset + description.startOffset, format: format)
    }
  }

  mutating func audioFileStream(
    _ stream: borrowing AudioFileStream, skipped byteCount: Int64, at byteOffset: Int64
  ) {
    output.skipped.append((byteCount, byteOffset))
  }

  /// Cuts constant-size packets of one frame into runs.
  private mutating func appendRuns(
    of bytes: Span<UInt8>, packets: AudioFileStreamPackets, format: AudioStreamBasicDescription
  ) {
    let packetBytes = Int(format.bytesPerPacket)
    guard packetBytes > 0 else { return }
    let runFrames = max(1, min(Self.maximumRunFrames, Self.maximumRunBytes / packetBytes))
    var done = 0
    while done < packets.packetCount {
      let frames = min(runFrames, packets.packetCount - done)
      let start = done * packetBytes
      append(
        bytes.extracting(start..<start + frames * packetBytes),
        index: packets.firstPacketIndex + Int64(done), frames: Int32(frames),
        byteOffset: packets.byteOffset + Int64(start), format: format)
      done += frames
    }
  }

  private mutating func append(
    _ bytes: Span<UInt8>, index: Int64, frames: Int32, byteOffset: Int64,
    format: AudioStreamBasicDescription
  ) {
    let firstFrame = nextFrame
    nextFrame += Int64(frames)
    let trims = trimming.trims(firstFrame: firstFrame, frameCount: frames)
    let history = PacketHistory(
      generation: generation, packetIndex: index, firstFrame: firstFrame, frameCount: frames,
      trimStartFrames: trims.start, trimEndFrames: trims.end, byteOffset: byteOffset,
      durationNanoseconds: UInt64(Double(frames) * 1_000_000_000 / format.sampleRate))
    output.packets.append(bytes, history: history, startsStream: streamStart)
    streamStart = nil
  }

  /// The packet table's valid frames are the sound; anything else is the parser's best evidence.
  private func duration(
    of stream: borrowing AudioFileStream, format: AudioStreamBasicDescription
  ) -> UInt64? {
    if let frames = trimming.frameCount {
      return UInt64(Double(frames) * 1_000_000_000 / format.sampleRate)
    }
    guard let duration = try? stream.duration else { return nil }
    return UInt64(max(0, duration.seconds) * 1_000_000_000)
  }
}
