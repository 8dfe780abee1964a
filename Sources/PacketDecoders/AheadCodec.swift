// SPDX-License-Identifier: MIT

public import AudioModel

/// Which formats can be decoded ahead of the render callback, and by which library.
public enum AheadCodec {
  /// The library that decodes a format ahead; nil when nothing in this build does, also where the
  /// library itself was built without that decoder. Any thread, not the render thread.
  public static func library(for format: AudioFormatID) -> String? {
    LibavcodecDecoder.isAvailable(for: format) ? "libavcodec" : nil
  }

  /// How many packets before the wanted one have to be decoded, and what they give dropped, after a
  /// discontinuity. Any thread.
  ///
  /// Lossless packets stand alone. AAC, AC-3 and Vorbis overlap with the packet before. HE-AAC also
  /// smooths its envelopes from one packet to the next, and need not be stated as such. Layers I and
  /// II carry over only the state of their filter bank, layer III also up to 511 bytes of bit
  /// reservoir, which is nine packets of the lowest bit rate. Opus never forgets entirely:
  /// the 80 ms of RFC 7845 section 4.6 are four packets of the usual 20 ms, and more where packets
  /// are shorter.
  public static func preRollPackets(for format: AudioFormatID) -> Int {
    switch format {
    case .ac3, .enhancedAC3, .vorbis, .mpegLayer1, .mpegLayer2: 1
    case .mpeg4AAC, .mpeg4HEAAC, .mpeg4HEAACv2: 2
    case .opus: 4
    case .mpegLayer3: 10
    default: 0
    }
  }

  /// The names of libavcodec's decoders for a format, the best first; none for what is not decoded.
  static func decoderNames(for format: AudioFormatID) -> [String] {
    switch format {
    case .mpeg4AAC, .mpeg4HEAAC, .mpeg4HEAACv2: ["aac"]
    case .appleLossless: ["alac"]
    case .ac3: ["ac3"]
    case .enhancedAC3: ["eac3"]
    case .vorbis: ["vorbis"]
    case .flac: ["flac"]
    case .opus: ["libopus", "opus"]
    case .mpegLayer1: ["mp1float"]
    case .mpegLayer2: ["mp2float"]
    case .mpegLayer3: ["mp3float"]
    default: []
    }
  }
}
