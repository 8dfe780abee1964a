// SPDX-License-Identifier: MIT

import AudioModel
import PlayerEngine

extension TrackReader {
  /// Goes to a time in the track; 0 leaves it where it is.
  func seek(
    toSeconds seconds: Double, purpose: SeekPurpose = .listening
  ) throws(PlayerError) {
    guard seconds > 0 else { return }
    let rate = try readInformation().dataFormat.sampleRate
    try seek(toFrame: Int64(min((seconds * rate).rounded(), 0x1p60)), purpose: purpose)
  }
}
