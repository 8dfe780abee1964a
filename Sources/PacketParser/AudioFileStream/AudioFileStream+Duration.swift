// SPDX-License-Identifier: MIT

import AudioModel

/// The length of a stream and the evidence for it.
public struct AudioFileStreamDuration: Hashable, Sendable {
  /// The evidence for a duration, the best first.
  public enum Evidence: Hashable, Sendable {
    /// The stream's own count of frames, without those the encoder added: exact.
    case packetTable
    /// The stream's own count of frames, or the frames counted to the end.
    case frameCount
    /// The stream's own count of packets, or the packets counted to the end.
    case packetCount
    /// The size of the audio and the constant size of its packets: exact.
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
  /// The evidence for the duration.
  public var evidence: Evidence

  /// Creates a duration from its parts.
  public init(frames: Int64, sampleRate: Double, evidence: Evidence) {
    self.frames = frames
    self.sampleRate = sampleRate
    self.evidence = evidence
  }

  /// The duration in seconds.
  public var seconds: Double { Double(frames) / sampleRate }

  /// Whether the duration follows from the stream itself, not from a bit rate or a mean.
  public var isExact: Bool { evidence != .constantBitRate && evidence != .averageOfPackets }
}

extension AudioFileStream {
  /// The duration by the best evidence so far.
  ///
  /// - Throws: `more` before the parser has reached the audio, `unk?` while the size of the stream is
  ///   unknown.
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

  /// Frames in a number of audio bytes, by the bit rate or the mean packet.
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

  /// The valid frames of a packet table. A layer III decoder delays them, and those after the last
  /// packet's end are lost.
  private func soundFrames(
    _ table: AudioFilePacketTableInfo, _ format: AudioStreamBasicDescription
  ) -> Int64 {
    let delay = MPEGLayer3Delay.frames(format.formatID, in: facts.fileFormat)
    let remainder = Int64(max(0, table.remainderFrames))
    return max(0, min(table.numberValidFrames, table.numberValidFrames + remainder - delay))
  }

  /// The packet table, corrected by the parsed packets: a truncated stream ends before its table
  /// states, a joined one after.
  var effectivePacketTable: AudioFilePacketTableInfo? {
    guard var table = facts.packetTableInfo else { return nil }
    // The values are untrusted: sums must not overflow.
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

  /// Frames that a decoder produces from all packets. If a container states a shorter last packet, the
  /// table counts the rest of that packet as remainder.
  private var decodedFrameCount: Int64? {
    let framesPerPacket = Int64(facts.dataFormat?.framesPerPacket ?? 0)
    guard framesPerPacket > 0, facts.dataFormat?.bytesPerPacket == 0, facts.firstFormat == nil
    else { return nil }
    return effectivePacketCount.map { Self.frames(ofPackets: $0, framesPerPacket) }
  }
}
