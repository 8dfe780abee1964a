// SPDX-License-Identifier: MIT

import TestKit

extension OfflinePlayback {
  /// Frames of a fade at 44.1 kHz.
  static var fadeFrames: Int { 221 }

  /// Returns whether every frame sounds as it was decoded, except the fade-in behind each underrun.
  func isWhole(_ decoded: [Float]) -> Bool {
    let samples = sound.interleaved
    guard samples.count == decoded.count else { return false }
    let channels = sound.count
    var frame = 0
    var fadedFrames = 0
    for isSounding in soundingFrames {
      guard isSounding else {
        fadedFrames = frame > 0 ? Self.fadeFrames : 0
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
