// SPDX-License-Identifier: MIT

import AudioModel

extension WaveParser {
  /// Uses the size of the data chunk, unless the form ends here anyway: some programs include headers
  /// in the size, or leave a placeholder.
  func missingFrameCount(at end: Int64, isUnbroken: Bool) -> Int64 {
    guard let data, let byteCount = data.byteCount, formEnd.map({ end < $0 }) ?? true else {
      return 0
    }
    guard let mpeg else { return facts.missingFrameCount(at: end, isUnbroken: isUnbroken) }
    // A pad byte may be missing, and the last frame may be cut.
    let missing = data.start + byteCount - end
    guard missing > 1 else {
      return mpeg.parser.missingFrameCount(at: end, isUnbroken: isUnbroken)
    }
    // Uses the fact chunk, else the mean size of the packets that arrived.
    let stated = facts.missingFrameCount(at: end, isUnbroken: isUnbroken)
    return stated > 0 ? stated : mpeg.parser.facts.frames(inMissingBytes: missing)
  }
}
