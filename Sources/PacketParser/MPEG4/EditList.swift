// SPDX-License-Identifier: MIT

import AudioModel

/// Which part of the media is the sound (`elst`, ISO/IEC 14496-12 section 8.6.6).
struct EditList {
  /// The first part that is not empty.
  private(set) var mediaTime: Int64?
  /// Its duration in units of the movie's time scale; 0 means up to the media's end.
  private(set) var duration: Int64 = 0
  /// There are several parts, so that the sound is not one stretch of the media.
  private(set) var isScattered = false

  mutating func append(duration: UInt64, mediaTime: Int64) {
    // An empty edit only delays the track.
    guard mediaTime >= 0 else { return }
    if self.mediaTime != nil { isScattered = true }
    if self.mediaTime == nil {
      self.mediaTime = mediaTime
      self.duration = Int64(clamping: duration)
    }
  }

  /// The frames that are sound.
  ///
  /// - Parameters:
  ///   - mediaDuration: the media's, in its own units.
  ///   - movieUnits: units per second of the movie's time scale.
  ///   - frames: all of the packets'.
  func packetTable(
    mediaDuration: Int64, scale: TimeScale, movieUnits: Int64, frames: Int64
  ) -> AudioFilePacketTableInfo? {
    guard let mediaTime, !isScattered, mediaTime <= mediaDuration else { return nil }
    let left = mediaDuration - mediaTime
    var valid = left
    if duration > 0, movieUnits > 0 {
      let stated = TimeScale.scale(duration, scale.unitsPerSecond, movieUnits)
      // The movie's units are coarser: what ends within one of the media's end ends there.
      let slack = scale.unitsPerSecond / movieUnits + 1
      valid = stated < left - slack ? stated : left
    }
    return AudioFilePacketTableInfo(
      priming: scale.frames(mediaTime), end: scale.frames(mediaTime + valid), of: frames)
  }
}

extension AudioFilePacketTableInfo {
  /// The sound from frame `priming` to `end` of `frames`; nil if that makes no sense.
  init?(priming: Int64, end: Int64, of frames: Int64) {
    let end = min(end, frames)
    guard priming >= 0, priming <= end, priming <= Int32.max, frames - end <= Int32.max else {
      return nil
    }
    self.init(
      numberValidFrames: end - priming, primingFrames: Int32(priming),
      remainderFrames: Int32(frames - end))
  }
}

extension AudioFilePacketTableInfo {
  /// What iTunes says of an encoder's delay, for packets with this many frames in all. For HE-AAC it may
  /// count frames of the doubled rate.
  func fitted(to frames: Int64) -> AudioFilePacketTableInfo? {
    let total = numberValidFrames + Int64(primingFrames) + Int64(remainderFrames)
    let factor: Int64 = frames > 0 && total / frames >= 2 ? 2 : 1
    let priming = Int64(primingFrames)
    return AudioFilePacketTableInfo(
      priming: priming / factor, end: (priming + numberValidFrames) / factor, of: frames)
  }
}
