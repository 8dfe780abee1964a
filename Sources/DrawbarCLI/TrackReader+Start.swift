// SPDX-License-Identifier: MIT

import AudioModel
import PlayerEngine

extension TrackReader {
  /// Seeks to a time in the track; 0 does nothing.
  func seek(
    toSeconds seconds: Double, purpose: SeekPurpose = .listening
  ) throws(PlayerError) {
    guard seconds > 0 else { return }
    let rate = try readInformation().dataFormat.sampleRate
    try seek(toFrame: Int64(min((seconds * rate).rounded(), 0x1p60)), purpose: purpose)
  }
}
