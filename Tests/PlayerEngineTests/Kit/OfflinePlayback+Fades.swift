// SPDX-License-Identifier: MIT

import TestKit

extension OfflinePlayback {
  /// Frames of a fade at 44.1 kHz.
  static var fadeFrames: Int { 221 }

  /// Whether every frame was heard as it was decoded. Behind each underrun 240 frames may differ: they fade in.
  func isWhole(_ decoded: [Float]) -> Bool {
    let samples = sound.interleaved
    guard samples.count == decoded.count else { return false }
    let channels = sound.count
    var frame = 0
    var fadedFrames = 0
    for isSounding in soundingFrames {
      guard isSounding else {
        fadedFrames = frame > 0 ? 240 : 0
        continue
      }
      let range = (frame * channels)..<((frame + 1) * channels)
      if fadedFrames > 0 {
        fadedFrames -= 1
      } else if samples[range] != decoded[range] {
        return false
      }
      frame += 1
    }
    return true
  }
}
