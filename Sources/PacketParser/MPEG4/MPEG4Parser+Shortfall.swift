// SPDX-License-Identifier: MIT

import AudioModel

extension MPEG4Parser {
  /// Uses the movie's index, and for fragments the last one and the segment index. The duration in
  /// `mehd` is that of the longest track, so it is no evidence.
  func missingFrameCount(at end: Int64, isUnbroken: Bool) -> Int64 {
    guard let track else { return 0 }
    if !fragments.isExpected {
      guard hasTablePackets else { return 0 }
      return isUnbroken
        ? facts.missingFrameCount(at: end, isUnbroken: true)
        : facts.missingFrameCount(fromPacket: nextPacket)
    }
    let framesPerPacket = Int64(track.encoding.dataFormat.framesPerPacket)
    func frames(_ packets: Int64, _ duration: Int64) -> Int64 {
      framesPerPacket > 0 ? packets * framesPerPacket : track.scale.frames(duration)
    }
    var missing: Int64 = 0
    if hasTablePackets {
      let next = track.times.time(of: nextPacket)
      missing = frames(
        track.map.packetCount - nextPacket, track.times.time(of: track.map.packetCount) - next)
    }
    missing += cutFrames
    if let segments = fragments.segments, end < segments.endByte {
      let stated = TimeScale.scale(
        segments.endTime, track.scale.frameRate, segments.unitsPerSecond)
      missing += max(0, stated - fragments.nextFrame)
    }
    return missing
  }
}
