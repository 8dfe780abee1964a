// SPDX-License-Identifier: MIT

import AudioModel

/// How long a stream is, and how that is known.
public struct AudioFileStreamDuration: Hashable, Sendable {
  /// What a duration rests on, the best first.
  public enum Evidence: Hashable, Sendable {
    /// The stream's own count of frames, without those the encoder added: exact.
    case packetTable
    /// The stream's own count of frames, or the frames counted to the end.
    case frameCount
    /// The stream's own count of packets, or the packets counted to the end.
    case packetCount
    /// The size of the audio and the one size that all packets have: exact.
    case byteCount
    /// The size of the audio and a bit rate that has not changed so far.
    case constantBitRate
    /// The size of the audio and the mean of the packets so far: an estimate.
    case averageOfPackets
  }

  /// Frames of sound, at the rate of the stream's first format.
  public var frames: Int64
  /// Frames per second of that format.
  public var sampleRate: Double
  /// What this rests on.
  public var evidence: Evidence

  /// A duration with these parts.
  public init(frames: Int64, sampleRate: Double, evidence: Evidence) {
    self.frames = frames
    self.sampleRate = sampleRate
    self.evidence = evidence
  }

  /// The duration in seconds.
  public var seconds: Double { Double(frames) / sampleRate }

  /// Whether the stream itself tells it: no estimate from a bit rate or a mean.
  public var isExact: Bool { evidence != .constantBitRate && evidence != .averageOfPackets }
}

extension AudioFileStream {
  /// The duration, by the best evidence there is so far.
  ///
  /// - Throws: `more` before the parser has reached the audio, `unk?` while nothing tells the size
  ///   of the stream.
  public var duration: AudioFileStreamDuration {
    get throws(AudioFileStreamError) {
      let present = try dataFormat
      let facts = facts
      let format = facts.durationFormat ?? present
      func duration(_ frames: Int64, _ evidence: AudioFileStreamDuration.Evidence)
        -> AudioFileStreamDuration
      {
        AudioFileStreamDuration(
          frames: frames, sampleRate: format.sampleRate, evidence: evidence)
      }
      if let table = effectivePacketTable {
        let frames = soundFrames(table, format)
        guard !facts.isWhole, let tableByteCount = facts.tableByteCount else {
          return duration(frames, .packetTable)
        }
        let rest = max(0, try audioDataByteCount - tableByteCount)
        let (more, evidence) = try frameCount(ofBytes: rest, format)
        return duration(frames + more, evidence)
      }
      if let frames = facts.soundFrameCount { return duration(frames, .frameCount) }
      if let frames = effectiveFrameCount {
        if format.bytesPerPacket > 0 { return duration(frames, .byteCount) }
        let isByFrames = format.framesPerPacket == 0 || facts.statedFrameCount != nil
        return duration(frames, isByFrames ? .frameCount : .packetCount)
      }
      let (frames, evidence) = try frameCount(ofBytes: try audioDataByteCount, format)
      return duration(frames, evidence)
    }
  }

  /// The frames of so much audio, by the bit rate or the mean packet.
  private func frameCount(
    ofBytes byteCount: Int64, _ format: AudioStreamBasicDescription
  ) throws(AudioFileStreamError) -> (Int64, AudioFileStreamDuration.Evidence) {
    let facts = facts
    if let bitRate = facts.constantBitRate, bitRate > 0 {
      let frames = Double(byteCount) * 8 / Double(bitRate) * format.sampleRate
      return (Int64(Self.rounded(frames)), .constantBitRate)
    }
    let framesPerPacket =
      format.framesPerPacket > 0
      ? Double(format.framesPerPacket)
      : facts.packetsSeen > 0 ? Double(facts.framesSeen) / Double(facts.packetsSeen) : 0
    let packets = Double(byteCount) / (try averageBytesPerPacket)
    return (Int64(Self.rounded(packets * framesPerPacket)), .averageOfPackets)
  }

  /// The frames of a packet table that sound. A layer III decoder's delay moves them back, and they end
  /// with the last packet.
  private func soundFrames(
    _ table: AudioFilePacketTableInfo, _ format: AudioStreamBasicDescription
  ) -> Int64 {
    let delay = MPEGLayer3Delay.frames(format.formatID, in: facts.fileFormat)
    let remainder = Int64(max(0, table.remainderFrames))
    return max(0, min(table.numberValidFrames, table.numberValidFrames + remainder - delay))
  }

  /// The packet table as far as the packets bear it out: a stream that was cut ends before its table
  /// says, and one that was joined behind it.
  var effectivePacketTable: AudioFilePacketTableInfo? {
    guard var table = facts.packetTableInfo else { return nil }
    // A file may claim anything: sums must not overflow.
    let valid = min(max(0, table.numberValidFrames), 1 << 60)
    let priming = Int64(max(0, table.primingFrames))
    let total = priming + valid + Int64(max(0, table.remainderFrames))
    guard let count = effectiveFrameCount else { return table }
    let decoded = decodedFrameCount ?? count
    if facts.isWhole, count > total {
      table.numberValidFrames = valid + count - total
    } else if decoded < total {
      table.numberValidFrames = min(valid, max(0, decoded - priming))
      table.remainderFrames = Int32(
        clamping: max(0, decoded - priming - table.numberValidFrames))
    }
    return table
  }

  /// Frames that a decoder gives of all packets. A container may say that the last packet is shorter: the
  /// table counts the rest of it among the remainder.
  private var decodedFrameCount: Int64? {
    let framesPerPacket = Int64(facts.dataFormat?.framesPerPacket ?? 0)
    guard framesPerPacket > 0, facts.dataFormat?.bytesPerPacket == 0, facts.firstFormat == nil
    else { return nil }
    return effectivePacketCount.map { Self.frames(ofPackets: $0, framesPerPacket) }
  }
}
