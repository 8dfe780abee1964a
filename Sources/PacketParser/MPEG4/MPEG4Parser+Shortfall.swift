// SPDX-License-Identifier: MIT

import AudioModel

extension MPEG4Parser {
  /// By the movie's index, and where fragments follow by the last of them and by the index of segments. The
  /// duration that `mehd` states is that of the longest track, so it proves nothing.
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
