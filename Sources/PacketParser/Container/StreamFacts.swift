// SPDX-License-Identifier: MIT

import AudioModel

/// What a container parser knows of its stream; nil is unknown.
struct StreamFacts {
  var fileFormat: AudioFileTypeID?
  var dataFormat: AudioStreamBasicDescription?
  /// The format of the first packets, where the rate or the packets' duration changed behind them.
  private(set) var firstFormat: AudioStreamBasicDescription?
  var dataOffset: Int64?
  /// Bytes of audio that the stream says it has.
  var statedByteCount: Int64?
  /// Packets that the stream says it has.
  var statedPacketCount: Int64?
  /// Frames that the stream says it has in all, priming frames included; for streams whose packets
  /// differ in duration or whose last packet is shorter.
  var statedFrameCount: Int64?
  /// Frames that are sound, at the first format's rate, known of a stream that was parsed to its end and
  /// whose packets tell which of their frames are.
  var soundFrameCount: Int64?
  var packetTableInfo: AudioFilePacketTableInfo?
  /// Bytes of the packets that the table speaks of, where the stream has more than those.
  var tableByteCount: Int64?
  /// The bytes of the largest packet, where a table tells.
  var statedMaximumPacketSize: Int?
  var packetSizeUpperBound: Int?
  var freeFormatFrameByteCount: Int?
  /// Bits per second, the same in every packet so far.
  var constantBitRate: Int?
  /// Bits per second on average, as the stream states them.
  var nominalBitRate: Int?
  /// Packets can be produced, and all that can be known before is known.
  var isReady = false
  /// The audio's bytes run from the data offset to the end of the stream, so that the stream's length
  /// tells how many there are.
  var isDataLast = true
  /// Bytes from the data offset to the end of the last packet, where other things lie between packets.
  var audioExtent: Int64?

  /// Packets delivered, their bytes, and their frames where packets differ in duration.
  var packetsSeen: Int64 = 0
  var bytesSeen: Int64 = 0
  var framesSeen: Int64 = 0
  var largestPacketSeen = 0
  /// Packets and bytes of the whole stream, once it was parsed from its first packet to its end.
  var isWhole = false {
    didSet { if isWhole, !oldValue { countedFrames = framesSoFar } }
  }
  /// Frames of all packets, at the first format's rate, once all were seen.
  private(set) var countedFrames: Int64?

  /// Packets and frames before the present format, and the first format's frames that last as long.
  private var pastPackets: Int64 = 0
  private var pastFrames: Int64 = 0
  private var pastDuration = 0.0
}

extension StreamFacts {
  /// The format whose frames durations count.
  var durationFormat: AudioStreamBasicDescription? { firstFormat ?? dataFormat }

  /// Packets of this format follow those seen.
  mutating func change(to format: AudioStreamBasicDescription) {
    defer { dataFormat = format }
    // After the end only a seek changes the format, and the count stands.
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
  /// Frames at one rate that last as long as those at another.
  static func frames(_ frames: Int64, at rate: Double, from other: Double) -> Int64 {
    rate == other ? frames : Int64(saturating: (Double(frames) / other * rate).rounded())
  }

  /// The packets that follow have another rate: what is counted in frames is counted at that one.
  mutating func rescaleFrames(from rate: Double, to other: Double) {
    statedFrameCount = statedFrameCount.map { Self.frames($0, at: other, from: rate) }
    if !isWhole { framesSeen = Self.frames(framesSeen, at: other, from: rate) }
  }

  /// Mean bytes of the packets delivered so far, or of all if the stream says enough; nil before
  /// either.
  var averageBytesPerPacket: Double? {
    if let dataFormat, dataFormat.bytesPerPacket > 0 { return Double(dataFormat.bytesPerPacket) }
    if !isWhole, let statedByteCount, let statedPacketCount, statedPacketCount > 0 {
      return Double(statedByteCount) / Double(statedPacketCount)
    }
    return packetsSeen > 0 ? Double(bytesSeen) / Double(packetsSeen) : nil
  }
}

/// What is known of a stream and not asked for with every packet.
struct StreamDetails {
  /// What a decoder needs besides the format; empty when there is nothing.
  var magicCookie: [UInt8] = []
  /// The formats that the packets can be decoded as, the richest first; empty when there is only the
  /// data format.
  var formatList: [AudioFormatListItem] = []
  var channelLayout: AudioChannelLayout?
  var tags: TagCollector

  init(_ context: ParserContext) {
    tags = context.tags
  }
}
