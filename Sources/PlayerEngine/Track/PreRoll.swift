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

  /// Frames to decode before the one that shall sound, at the stream's stated rate.
  static func frames(_ format: AudioStreamBasicDescription) -> Int64 {
    let packet = Int64(max(1, format.framesPerPacket))
    return switch format.formatID {
    case .mpegLayer3: layer3Packets * packet
    // The filter bank remembers 512 frames.
    case .mpegLayer1: 2 * packet
    // Filter banks that overlap, and a predictor that is rounded in each packet's head.
    case .mpegLayer2, .ac3, .enhancedAC3, .appleIMA4: packet
    case .mpeg4AAC: 2 * packet
    // The replicated band's envelopes and the stereo parameters last longer.
    case .mpeg4HEAAC, .mpeg4HEAACv2, .mpeg4AACLD, .mpeg4AACELD: 4 * packet
    case .opus: opusFrames
    case .vorbis: vorbisFrames
    default: 0
    }
  }
}
