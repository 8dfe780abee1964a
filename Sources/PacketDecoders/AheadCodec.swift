// SPDX-License-Identifier: MIT

public import AudioModel

/// Which formats can be decoded ahead of the render callback, and by which library.
public enum AheadCodec {
  /// The library that decodes a format ahead; nil when nothing in this build does. Any thread.
  public static func library(for format: AudioFormatID) -> String? {
    #if DRAWBAR_AVCODEC
      switch format {
      case .mpeg4AAC, .mpeg4HEAAC, .mpeg4HEAACv2, .appleLossless, .ac3, .enhancedAC3, .vorbis,
        .flac,
        .opus, .mpegLayer1, .mpegLayer2, .mpegLayer3:
        "libavcodec"
      default: nil
      }
    #else
      nil
    #endif
  }
}
