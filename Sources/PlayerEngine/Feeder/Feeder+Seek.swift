// SPDX-License-Identifier: MIT

internal import AudioModel
internal import ByteSources
internal import RenderCore

extension Feeder {
  /// The target of a seek in the reader's track.
  struct PendingSeek {
    var nanoseconds: UInt64
    var flushSerial: UInt32
    /// The feeder left another track for the seek, so it cannot continue there if the seek fails.
    var isReturn: Bool
    var purpose: SeekPurpose
  }

  /// Starts a seek in a track. Until its frame is found, the feeder writes nothing and the ring plays on. Then the
  /// feeder reports `sought`, and packets with the new flush serial follow those in the ring.
  ///
  /// - Parameters:
  ///   - index: the current track; the feeder may be ahead of it.
  ///   - purpose: the required accuracy.
  /// - Throws: `notRepositionable` if the track's source cannot seek back; nothing has changed then.
  func seek(
    inTrack index: Int, toNanoseconds nanoseconds: UInt64, flushSerial: UInt32,
    purpose: SeekPurpose = .listening
  ) throws(PlayerError) {
    let isReturn = reader == nil || trackIndex != index
    if isReturn {
      guard returnTo(track: index) else {
        let name = items.indices.contains(index) ? PlaylistLoader.name(items[index].location) : ""
        throw PlayerError(
          location: name, reason: .source(ByteSourceError(.notRepositionable, at: name)))
      }
    }
    pendingSeek = PendingSeek(
      nanoseconds: nanoseconds, flushSerial: flushSerial, isReturn: isReturn,
      purpose: purpose)
  }

  /// Gives up a seek that cannot be made in its track; the feeder continues with the track after it.
  func abandonSeek() {
    guard let target = pendingSeek else { return }
    pendingSeek = nil
    begin(flushSerial: target.flushSerial)
    let frame = Int64(clamping: target.nanoseconds)
    let seek = TrackSeek(
      askedFrame: frame, reachedFrame: frame, isEstimated: true, errorBoundFrames: nil)
    events.append(.sought(track: trackIndex, seek, sampleRate: 1_000_000_000))
  }

  /// Advances a seek: reads until the format is known, repositions the reader, and reads until the first frame is
  /// found.
  func stepSeek(
    in reader: TrackReader, timeoutNanoseconds: UInt64
  ) throws(PlayerError) -> Step {
    if let target = pendingSeek, let format = reader.output.information?.dataFormat {
      let frame = Double(target.nanoseconds) / 1_000_000_000 * format.sampleRate
      do throws(PlayerError) {
        try reader.beginSeek(
          toFrame: Int64(min(frame.rounded(), 0x1p60)), flushSerial: target.flushSerial,
          purpose: target.purpose)
      } catch {
        if target.isReturn {
          events.append(.failed(track: trackIndex, error))
          abandonSeek()
        } else {
          pendingSeek = nil
          events.append(.seekRefused(track: trackIndex, error))
        }
        return .progressed
      }
      pendingSeek = nil
      begin(flushSerial: target.flushSerial)
      isSeeking = true
      readerHasEnded = false
    }
    if isSeeking, let seek = reader.finishSeek(hasEnded: &readerHasEnded) {
      isSeeking = false
      let rate = reader.output.information?.dataFormat.sampleRate ?? 1
      events.append(
        .sought(
          track: trackIndex, seek, sampleRate: rate,
          isBehindEnd: reader.driver.listener.firstSoundFrame == nil))
      return .progressed
    }
    if readerHasEnded {
      // The track has no audio to seek in.
      abandonSeek()
      return .progressed
    }
    return try step(reader, timeoutNanoseconds: timeoutNanoseconds)
  }
}
