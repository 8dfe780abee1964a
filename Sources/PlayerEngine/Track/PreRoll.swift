// SPDX-License-Identifier: MIT

internal import AudioModel

/// What has to be decoded before a place in a stream for the sound there to be what it is in a straight
/// decode. It is decoded and not heard.
enum PreRoll {
  /// Packets of layer III whose bits the packet at hand may use: the reservoir reaches back 511 bytes,
  /// which at MPEG-1's lowest rate are nine packets, and 255 at the rates below, where they are 24 of
  /// 8 kbit/s at 24 kHz; and one more for the overlap of the filter bank.
  private static let layer3Packets: Int64 = 25
  /// Half a second at 48 kHz. RFC 7845 section 4.6 asks for 80 ms at least, after which the decoder is
  /// 60 dB under the straight decode; after this it is the same but for rounding.
  private static let opusFrames: Int64 = 24000
  /// The longest block there is (Vorbis I section 4.2.2); a packet overlaps the one before.
  private static let vorbisFrames: Int64 = 8192
  /// Six blocks, as many as a packet of E-AC-3 has at most: its packets do not state their number.
  private static let enhancedAC3Frames: Int64 = 1536
  /// After so many packets without spectral band replication's header a decoder has missed one at the
  /// usual distance of half a second, and has had six more to follow the envelopes, which are coded as
  /// differences.
  private static let replicationPackets: Int64 = 17
  /// The noise of a replicated band comes from a table of 512 numbers, of which each of a packet's 32
  /// slots takes as many as the band has channels: after 16 packets it begins anew.
  private static let replicationNoisePackets: Int64 = 16
  /// As much of a local file is decoded from its start on. Only so is the noise that AAC substitutes the
  /// same, because its generator runs from there; it takes 0.8 ms of processor time for a second.
  private static let unknownSubstitutionSeconds = 30.0
  /// And as much where noise was met, for a quarter of a second of processor time at most.
  private static let substitutionSeconds = 300.0
  /// Packets of a local file in which noise is looked for, if none was met before.
  private static let searchedPackets: Int64 = 32

  /// The frame to decode from for the sound from another one on, at the stream's stated rate.
  ///
  /// - Parameters:
  ///   - frame: counted from the first frame decoded.
  ///   - isLocal: everything before it is quickly read.
  ///   - substitutesNoise: packets were met that have noise substituted.
  ///   - purpose: how long decoding may take.
  static func firstFrame(
    before frame: Int64, _ format: AudioStreamBasicDescription, isLocal: Bool,
    substitutesNoise: Bool, purpose: SeekPurpose = .listening
  ) -> Int64 {
    let first = max(0, frame - frames(format))
    if purpose == .scanning { return first }
    if purpose == .rendering, isLocal, mayFillInNoise(format) { return 0 }
    guard mayReplicateBand(format) else {
      guard format.formatID == .mpeg4AAC, isLocal else { return first }
      let seconds = substitutesNoise ? substitutionSeconds : unknownSubstitutionSeconds
      if Double(frame) <= seconds * format.sampleRate { return 0 }
      if substitutesNoise { return first }
      return max(0, frame - searchedPackets * Int64(max(1, format.framesPerPacket)))
    }
    // What follows can be seconds of packets more, which over a network the listener would wait for.
    guard isLocal else { return first }
    // A decoder that begins elsewhere has band replication begin with the first header that it meets.
    // Where headers come every half a second from the stream's start on, as the common encoders send
    // them, one that is also a multiple of the noise's period finds the noise where the straight decode
    // has it.
    let packet = Int64(format.framesPerPacket)
    let distance = max(1, Int64(format.sampleRate / 2) / packet)
    let period = distance / greatestCommonDivisor(distance, replicationNoisePackets)
    let step = period * replicationNoisePackets * packet
    return first / step * step
  }

  /// Frames to decode before the one that shall sound.
  private static func frames(_ format: AudioStreamBasicDescription) -> Int64 {
    let packet = Int64(max(1, format.framesPerPacket))
    if mayReplicateBand(format) { return replicationPackets * packet }
    return switch format.formatID {
    case .mpegLayer3: layer3Packets * packet
    // The filter bank remembers 512 frames.
    case .mpegLayer1: 2 * packet
    // Filter banks that overlap, and a predictor that is rounded in each packet's head.
    case .mpegLayer2, .ac3, .appleIMA4: packet
    case .enhancedAC3: enhancedAC3Frames
    case .mpeg4AAC: 2 * packet
    // The replicated band's envelopes last longer.
    case .mpeg4AACLD, .mpeg4AACELD: 4 * packet
    case .opus: opusFrames
    case .vorbis: vorbisFrames
    default: 0
    }
  }

  /// What of AAC's noise a decoder makes up depends on all that it has decoded.
  private static func mayFillInNoise(_ format: AudioStreamBasicDescription) -> Bool {
    switch format.formatID {
    case .mpeg4AAC, .mpeg4HEAAC, .mpeg4HEAACv2, .mpeg4AACLD, .mpeg4AACELD: true
    default: false
    }
  }

  /// Plain AAC of a low rate may turn out to be HE-AAC, of which only the packets tell.
  private static func mayReplicateBand(_ format: AudioStreamBasicDescription) -> Bool {
    guard format.framesPerPacket > 0, (1...192_000).contains(format.sampleRate) else {
      return false
    }
    return switch format.formatID {
    case .mpeg4HEAAC, .mpeg4HEAACv2: true
    case .mpeg4AAC: format.sampleRate <= 24000
    default: false
    }
  }

  private static func greatestCommonDivisor(_ one: Int64, _ other: Int64) -> Int64 {
    other == 0 ? one : greatestCommonDivisor(other, one % other)
  }
}
