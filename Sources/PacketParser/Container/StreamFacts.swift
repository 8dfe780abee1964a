// SPDX-License-Identifier: MIT

import AudioModel

/// The facts that a container parser knows of its stream; nil is unknown.
struct StreamFacts {
  var fileFormat: AudioFileTypeID?
  var dataFormat: AudioStreamBasicDescription?
  /// The format of the first packets, if the rate or the packets' duration changed after them.
  private(set) var firstFormat: AudioStreamBasicDescription?
  var dataOffset: Int64?
  /// Bytes of audio as stated by the stream.
  var statedByteCount: Int64?
  /// Packets as stated by the stream.
  var statedPacketCount: Int64?
  /// All frames as stated by the stream, priming frames included; for streams whose packets differ in
  /// duration or whose last packet is shorter.
  var statedFrameCount: Int64?
  /// Valid frames at the first format's rate. Set once the stream was parsed to its end, if its packets
  /// state which of their frames are valid.
  var soundFrameCount: Int64?
  var packetTableInfo: AudioFilePacketTableInfo?
  /// Bytes of the packets that the table covers, if the stream has more packets.
  var tableByteCount: Int64?
  /// Bytes of the largest packet, if a table states them.
  var statedMaximumPacketSize: Int?
  var packetSizeUpperBound: Int?
  var freeFormatFrameByteCount: Int?
  /// Bits per second, the same in every packet so far.
  var constantBitRate: Int?
  /// Average bits per second, as the stream states them.
  var nominalBitRate: Int?
  /// Whether packets can be produced, and all facts known before them are set.
  var isReady = false
  /// Whether the audio runs from the data offset to the end of the stream, so that the stream's length
  /// determines its size.
  var isDataLast = true
  /// Bytes from the data offset to the end of the last packet, if other data lie between packets.
  var audioExtent: Int64?

  /// Packets delivered, their bytes, and their frames if packets differ in duration.
  var packetsSeen: Int64 = 0
  var bytesSeen: Int64 = 0
  var framesSeen: Int64 = 0
  var largestPacketSeen = 0
  /// Whether the packets and bytes delivered are those of the whole stream: it was parsed from its
  /// first packet to its end.
  var isWhole = false {
    didSet { if isWhole, !oldValue { countedFrames = framesSoFar } }
  }
  /// Frames of all packets at the first format's rate, once all were delivered.
  private(set) var countedFrames: Int64?

  /// Packets and frames before the present format, and their duration in frames of the first format.
  private var pastPackets: Int64 = 0
  private var pastFrames: Int64 = 0
  private var pastDuration = 0.0
}

extension StreamFacts {
  /// The format whose rate durations are counted at.
  var durationFormat: AudioStreamBasicDescription? { firstFormat ?? dataFormat }

  /// Changes the format of the packets that follow.
  mutating func change(to format: AudioStreamBasicDescription) {
    defer { dataFormat = format }
    // After the end only a seek changes the format, and the count stays.
    guard let dataFormat, !isWhole,
      dataFormat.sampleRate != format.sampleRate
        || dataFormat.framesPerPacket != format.framesPerPacket
    else { return }
    pastDuration = durationSoFar
    (pastPackets, pastFrames) = (packetsSeen, framesSeen)
    firstFormat = firstFormat ?? dataFormat
  }

  private var framesSoFar: Int64 {
    firstFormat == nil ? framesOfFormat : Int64(min(durationSoFar.rounded(), 0x1p60))
  }

  private var durationSoFar: Double {
    guard let dataFormat, let first = durationFormat, dataFormat.sampleRate > 0 else {
      return pastDuration
    }
    return pastDuration + Double(framesOfFormat) * first.sampleRate / dataFormat.sampleRate
  }

  /// Frames of the packets of the present format.
  private var framesOfFormat: Int64 {
    let framesPerPacket = Int64(dataFormat?.framesPerPacket ?? 0)
    if framesPerPacket == 0 { return framesSeen - pastFrames }
    let (frames, overflow) = (packetsSeen - pastPackets)
      .multipliedReportingOverflow(by: framesPerPacket)
    return overflow ? 1 << 60 : min(frames, 1 << 60)
  }
}

extension StreamFacts {
  /// Converts frames at rate `other` to frames of the same duration at `rate`.
  static func frames(_ frames: Int64, at rate: Double, from other: Double) -> Int64 {
    rate == other ? frames : Int64(saturating: (Double(frames) / other * rate).rounded())
  }

  /// Converts the frame counts for following packets of another rate.
  mutating func rescaleFrames(from rate: Double, to other: Double) {
    statedFrameCount = statedFrameCount.map { Self.frames($0, at: other, from: rate) }
    if !isWhole { framesSeen = Self.frames(framesSeen, at: other, from: rate) }
  }

  /// Mean bytes of the packets delivered so far, or of all if the stream states their totals; nil
  /// before either.
  var averageBytesPerPacket: Double? {
    if let dataFormat, dataFormat.bytesPerPacket > 0 { return Double(dataFormat.bytesPerPacket) }
    if !isWhole, let statedByteCount, let statedPacketCount, statedPacketCount > 0 {
      return Double(statedByteCount) / Double(statedPacketCount)
    }
    return packetsSeen > 0 ? Double(bytesSeen) / Double(packetsSeen) : nil
  }
}

/// Details of a stream that are not needed with every packet.
struct StreamDetails {
  /// The data that a decoder needs besides the format; empty if there are none.
  var magicCookie: [UInt8] = []
  /// The formats as which the packets can be decoded, the richest first; empty if there is only the
  /// data format.
  var formatList: [AudioFormatListItem] = []
  var channelLayout: AudioChannelLayout?
  var tags: TagCollector

  init(_ context: ParserContext) {
    tags = context.tags
  }
}
