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

  /// Frames of sound.
  public var frames: Int64
  /// Frames per second.
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
      let format = try dataFormat
      func duration(_ frames: Int64, _ evidence: AudioFileStreamDuration.Evidence)
        -> AudioFileStreamDuration
      {
        AudioFileStreamDuration(
          frames: frames, sampleRate: format.sampleRate, evidence: evidence)
      }
      let facts = facts
      if let table = facts.packetTableInfo {
        // A stream that was cut ends before its table says.
        let end = facts.isWhole ? effectiveFrameCount ?? .max : .max
        let valid = min(table.numberValidFrames, max(0, end - Int64(table.primingFrames)))
        return duration(valid, .packetTable)
      }
      if let frames = facts.soundFrameCount { return duration(frames, .frameCount) }
      if let frames = effectiveFrameCount {
        if format.bytesPerPacket > 0 { return duration(frames, .byteCount) }
        let isByFrames = format.framesPerPacket == 0 || facts.statedFrameCount != nil
        return duration(frames, isByFrames ? .frameCount : .packetCount)
      }
      let byteCount = Double(try audioDataByteCount)
      if let bitRate = facts.constantBitRate, bitRate > 0 {
        let frames = byteCount * 8 / Double(bitRate) * format.sampleRate
        return duration(Int64(Self.rounded(frames)), .constantBitRate)
      }
      let framesPerPacket =
        format.framesPerPacket > 0
        ? Double(format.framesPerPacket)
        : facts.packetsSeen > 0 ? Double(facts.framesSeen) / Double(facts.packetsSeen) : 0
      let packets = byteCount / (try averageBytesPerPacket)
      return duration(Int64(Self.rounded(packets * framesPerPacket)), .averageOfPackets)
    }
  }
}
