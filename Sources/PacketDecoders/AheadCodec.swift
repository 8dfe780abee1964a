// SPDX-License-Identifier: MIT

public import AudioModel

/// The formats that can be decoded ahead of the render callback, and their library.
public enum AheadCodec {
  /// Returns the library that decodes a format ahead; nil when nothing in this build does, also if the library
  /// itself lacks that decoder. Any thread, not the render thread.
  public static func library(for format: AudioFormatID) -> String? {
    LibavcodecDecoder.isAvailable(for: format) ? "libavcodec" : nil
  }

  /// Returns the names of libavcodec's decoders for a format, the best first; none for an unsupported format.
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
