// SPDX-License-Identifier: MIT

import AudioModel

extension AudioFormatID {
  /// Packets after which a decoder has forgotten what came before, or nearly: HE-AAC and Opus never
  /// forget entirely.
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
