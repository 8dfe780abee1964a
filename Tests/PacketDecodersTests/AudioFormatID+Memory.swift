// SPDX-License-Identifier: MIT

import AudioModel

extension AudioFormatID {
  /// The number of packets after which earlier packets no longer affect a decoder, or hardly: HE-AAC and Opus
  /// keep some state for good.
  var packetsRemembered: Int {
    switch self {
    case .mpeg4AAC, .mpeg4HEAAC, .mpeg4HEAACv2: 2
    case .ac3, .enhancedAC3, .vorbis, .mpegLayer1, .mpegLayer2: 1
    case .opus: 4
    case .mpegLayer3: 10
    default: 0
    }
  }
}
