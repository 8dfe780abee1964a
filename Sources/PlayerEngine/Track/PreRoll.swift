// SPDX-License-Identifier: MIT

internal import AudioModel

/// The frames to decode before a position, so that the sound there equals a straight decode. They are decoded and cut.
enum PreRoll {
  /// Packets of layer III whose bits a packet may use. At MPEG-1's lowest rate the reservoir reaches back 511 bytes,
  /// nine packets; at lower rates 255 bytes, 24 packets of 8 kbit/s at 24 kHz. One more is for the overlap of the
  /// filter bank.
  private static let layer3Packets: Int64 = 25
  /// Half a second at 48 kHz. RFC 7845 section 4.6 recommends at least 80 ms, after which the difference from a
  /// straight decode is at -60 dB; after half a second only rounding differs.
  private static let opusFrames: Int64 = 24000
  /// The longest block there is (Vorbis I section 4.2.2); a packet overlaps the one before.
  private static let vorbisFrames: Int64 = 8192
  /// Six blocks, the most in a packet of E-AC-3: its packets do not state their number.
  private static let enhancedAC3Frames: Int64 = 1536
  /// Packets up to the next header of spectral band replication, at the usual distance of half a second, and six more
  /// for the envelopes, which are coded as differences.
  private static let replicationPackets: Int64 = 17
  /// The noise of a replicated band comes from a table of 512 numbers. Each of a packet's 32 slots takes one for each
  /// channel of the band, so the noise repeats after 16 packets.
  private static let replicationNoisePackets: Int64 = 16
  /// Up to this time a seek decodes a local file from its start: only then is the noise that AAC substitutes the same,
  /// because its generator runs from there. A second of sound takes 0.8 ms of processor time.
  private static let unknownSubstitutionSeconds = 30.0
  /// The same once noise was found: at most a quarter of a second of processor time.
  private static let substitutionSeconds = 300.0
  /// Packets of a local file that are searched for noise, if none was found before.
  private static let searchedPackets: Int64 = 32

  /// Returns the frame to decode from, for the sound from `frame` on, at the stream's stated rate.
  ///
  /// - Parameters:
  ///   - frame: counted from the first frame decoded.
  ///   - isLocal: everything before the frame can be read quickly.
  ///   - substitutesNoise: packets with substituted noise were found.
  ///   - purpose: the limit on decoding time.
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
    // The steps below can add seconds of packets, a long wait over a network.
    guard isLocal else { return first }
    // A decoder that begins elsewhere starts band replication at the first header. The common encoders send a header
    // every half second from the stream's start on. At a header that is also a multiple of the noise's period, the
    // noise equals the straight decode's.
    let packet = Int64(format.framesPerPacket)
    let distance = max(1, Int64(format.sampleRate / 2) / packet)
    let period = distance / greatestCommonDivisor(distance, replicationNoisePackets)
    let step = period * replicationNoisePackets * packet
    return first / step * step
  }

  /// Returns the frames to decode before the first one to keep.
  private static func frames(_ format: AudioStreamBasicDescription) -> Int64 {
    let packet = Int64(max(1, format.framesPerPacket))
    if mayReplicateBand(format) { return replicationPackets * packet }
    return switch format.formatID {
    case .mpegLayer3: layer3Packets * packet
    // The filter bank remembers 512 frames.
    case .mpegLayer1: 2 * packet
    // Overlapping filter banks, and IMA 4's predictor, which is rounded in each packet's head.
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

  /// Returns whether a format may have generated noise, which depends on everything decoded before.
  private static func mayFillInNoise(_ format: AudioStreamBasicDescription) -> Bool {
    switch format.formatID {
    case .mpeg4AAC, .mpeg4HEAAC, .mpeg4HEAACv2, .mpeg4AACLD, .mpeg4AACELD: true
    default: false
    }
  }

  /// Returns whether a format may replicate a band: plain AAC of a low rate may be HE-AAC, which only its packets show.
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
