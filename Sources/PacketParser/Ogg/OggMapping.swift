// SPDX-License-Identifier: MIT

import AudioModel

/// The storage of an encoding in Ogg: its header packets and the durations of its audio packets.
protocol OggMapping {
  /// The format. This and the following properties are only read once the headers are complete.
  var dataFormat: AudioStreamBasicDescription { get }
  var magicCookie: [UInt8] { get }
  var channelLayout: AudioChannelLayout? { get }
  /// The most bytes of a packet.
  var packetSizeUpperBound: Int { get }
  /// Bits per second, as the headers state them.
  var nominalBitRate: Int? { get }
  /// The frames of the stream as stated by the headers.
  var totalFrames: Int64? { get }
  /// Priming frames at the start.
  var primingFrames: Int64 { get }
  /// Whether the first audio page may end before its packets do, so that the frames before its granule
  /// are priming (Vorbis I appendix A.2).
  var mayTrimStart: Bool { get }

  /// Whether all header packets were read.
  var isComplete: Bool { get }

  /// Reads a header packet's bytes as they arrive; returns false if this is an audio packet.
  mutating func readHeader(
    _ bytes: Span<UInt8>, isStart: Bool, isEnd: Bool, at offset: Int64,
    into tags: inout TagCollector
  ) throws(AudioFileStreamError) -> Bool

  /// Returns the frames that an audio packet decodes to; nil if it is not an audio packet.
  mutating func frames(_ packet: Span<UInt8>) -> Int?

  /// Prepares for a packet that does not follow the last one.
  mutating func forgetLastPacket()
}

extension OggMapping {
  var nominalBitRate: Int? { nil }
  var totalFrames: Int64? { nil }
  var primingFrames: Int64 { 0 }
  var mayTrimStart: Bool { false }

  mutating func forgetLastPacket() {}
}

/// The kind of a logical stream, by its first packet.
enum OggStreamKind {
  /// Audio that this parser supports.
  case audio(any OggMapping)
  /// Unsupported audio of this name.
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
  /// Returns the layout in the channel order of Vorbis (Vorbis I section 4.3.9) and Opus (RFC 7845
  /// section 5.1.1.2).
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
