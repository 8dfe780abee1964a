// SPDX-License-Identifier: MIT

import AudioModel

/// The edit list, which selects the sound from the media (`elst`, ISO/IEC 14496-12 section 8.6.6).
struct EditList {
  /// A part that is not empty.
  private struct Part {
    var mediaTime: Int64
    /// In units of the movie's time scale; 0 means to the media's end.
    var duration: Int64
  }

  private var parts: [Part] = []
  /// Whether the list has more parts than are kept.
  private var isCut = false

  private static let maximumParts = 4096

  mutating func append(duration: UInt64, mediaTime: Int64) {
    // An empty edit only delays the track.
    guard mediaTime >= 0 else { return }
    if parts.count == Self.maximumParts {
      isCut = true
    } else {
      parts.append(Part(mediaTime: mediaTime, duration: Int64(clamping: duration)))
    }
  }

  /// The beginning of the sound in the media's units, if the list has a single part.
  var start: Int64? { parts.count == 1 ? parts[0].mediaTime : nil }

  /// Returns the valid frames: from the beginning of the first part to the end of the last. Media that
  /// the list omits between parts stay.
  ///
  /// - Parameters:
  ///   - mediaDuration: the media's duration, in its own units.
  ///   - movieUnits: units per second of the movie's time scale.
  ///   - frames: the frames of all packets.
  /// - Returns: nil if there is no list, or its parts are not in the media's order.
  func packetTable(
    mediaDuration: Int64, scale: TimeScale, movieUnits: Int64, frames: Int64
  ) -> AudioFilePacketTableInfo? {
    guard let start = parts.first?.mediaTime, start <= mediaDuration, !isCut else { return nil }
    // With coarser movie units, a part that ends within one unit of the media's end ends there.
    let isCoarser = movieUnits > 0 && !movieUnits.isMultiple(of: scale.unitsPerSecond)
    let slack = isCoarser ? scale.unitsPerSecond / movieUnits + 1 : 0
    var end: Int64 = 0
    for part in parts where part.mediaTime <= mediaDuration {
      guard part.mediaTime >= end - slack else { return nil }
      let left = mediaDuration - part.mediaTime
      var valid = left
      if part.duration > 0, movieUnits > 0 {
        let stated = TimeScale.scale(part.duration, scale.unitsPerSecond, movieUnits)
        valid = stated < left - slack ? stated : left
      }
      end = part.mediaTime + valid
    }
    return AudioFilePacketTableInfo(
      priming: scale.frames(start), end: scale.frames(end), of: frames)
  }
}

extension AudioFilePacketTableInfo {
  /// Creates a table of the valid frames from `priming` to `end` of `frames`; nil if the values are
  /// impossible.
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
  /// Returns iTunes' values for an encoder's delay, fitted to packets with `frames` frames in total.
  /// For HE-AAC iTunes may count frames of the doubled rate.
  func fitted(to frames: Int64) -> AudioFilePacketTableInfo? {
    let total = numberValidFrames + Int64(primingFrames) + Int64(remainderFrames)
    let factor: Int64 = frames > 0 && total / frames >= 2 ? 2 : 1
    let priming = Int64(primingFrames)
    return AudioFilePacketTableInfo(
      priming: priming / factor, end: (priming + numberValidFrames) / factor, of: frames)
  }
}
