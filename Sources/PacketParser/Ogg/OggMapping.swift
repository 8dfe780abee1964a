// SPDX-License-Identifier: MIT

import AudioModel

/// How an encoding lies in Ogg: its header packets, and what its audio packets tell.
protocol OggMapping {
  /// The format; only asked for once the headers are complete, as all that follows.
  var dataFormat: AudioStreamBasicDescription { get }
  var magicCookie: [UInt8] { get }
  var channelLayout: AudioChannelLayout? { get }
  /// Bytes that no packet exceeds.
  var packetSizeUpperBound: Int { get }
  /// Bits per second, as the headers state them.
  var nominalBitRate: Int? { get }
  /// Frames that the headers say the stream has.
  var totalFrames: Int64? { get }
  /// Frames at the start that are not sound.
  var primingFrames: Int64 { get }
  /// Whether the first audio page may end before its packets do, so that the frames before are
  /// not sound (Vorbis I appendix A.2).
  var mayTrimStart: Bool { get }

  /// All header packets were read.
  var isComplete: Bool { get }

  /// Reads a header packet's bytes as they come; false if this is no header packet, but audio.
  mutating func readHeader(
    _ bytes: Span<UInt8>, isStart: Bool, isEnd: Bool, at offset: Int64,
    into tags: inout TagCollector
  ) throws(AudioFileStreamError) -> Bool

  /// Frames that an audio packet decodes to; nil if it is none.
  mutating func frames(_ packet: Span<UInt8>) -> Int?

  /// The packet that comes next does not follow the last one.
  mutating func forgetLastPacket()
}

extension OggMapping {
  var nominalBitRate: Int? { nil }
  var totalFrames: Int64? { nil }
  var primingFrames: Int64 { 0 }
  var mayTrimStart: Bool { false }

  mutating func forgetLastPacket() {}
}

/// What the first packet of a logical stream says it is.
enum OggStreamKind {
  /// Audio that can be packetised.
  case audio(any OggMapping)
  /// Audio of this name, which cannot be.
  case otherAudio(String)
  /// Video, text and the like.
  case other

  init(_ packet: Span<UInt8>, at offset: Int64) throws(AudioFileStreamError) {
    if packet.has("OpusHead", at: 0) {
      self = .audio(try OpusMapping(packet, at: offset))
    } else if packet.has("\u{1}vorbis", at: 0) {
      self = .audio(try VorbisMapping(packet, at: offset))
    } else if packet.has("\u{7F}FLAC", at: 0) || packet.has("fLaC", at: 0) {
      self = .audio(try FLACMapping(packet, at: offset))
    } else if packet.has("Speex   ", at: 0) {
      self = .otherAudio("Speex")
    } else if packet.has("CELT    ", at: 0) {
      self = .otherAudio("CELT")
    } else if packet.has("PCM     ", at: 0) {
      self = .otherAudio("OggPCM")
    } else if packet.has("OggMIDI\0", at: 0) {
      self = .otherAudio("MIDI")
    } else {
      self = .other
    }
  }
}

extension AudioChannelLayout {
  /// The order of channels that Vorbis has (Vorbis I section 4.3.9), and Opus (RFC 7845 section
  /// 5.1.1.2).
  static func vorbis(channels: Int) -> AudioChannelLayout? {
    switch channels {
    case 1, 2: AudioChannelLayout(.standard(channels: UInt32(channels)))
    case 3: AudioChannelLayout(labels: [1, 3, 2])
    case 4: AudioChannelLayout(labels: [1, 2, 5, 6])
    case 5: AudioChannelLayout(labels: [1, 3, 2, 5, 6])
    case 6: AudioChannelLayout(labels: [1, 3, 2, 5, 6, 4])
    case 7: AudioChannelLayout(labels: [1, 3, 2, 10, 11, 9, 4])
    case 8: AudioChannelLayout(labels: [1, 3, 2, 10, 11, 5, 6, 4])
    default: nil
    }
  }
}
