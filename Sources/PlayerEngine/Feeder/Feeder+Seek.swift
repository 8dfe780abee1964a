// SPDX-License-Identifier: MIT

internal import AudioModel
internal import ByteSources
internal import RenderCore

extension Feeder {
  /// Where a seek shall lead, in the reader's track.
  struct WantedPlace {
    var nanoseconds: UInt64
    var generation: UInt32
    /// The feeder was in another track: it cannot go on as if nothing had been asked.
    var isReturn: Bool
    var purpose: SeekPurpose
  }

  /// Goes on with a place in a track. Until it is found, nothing is written, and what is in the ring is
  /// heard on; then `sought` is told, and packets of the new generation follow those that are there.
  ///
  /// - Parameters:
  ///   - index: the track that is heard; the feeder may be ahead of it.
  ///   - purpose: how exact it has to be.
  /// - Throws: why it cannot be gone back to; everything goes on as it was.
  func seek(
    inTrack index: Int, toNanoseconds nanoseconds: UInt64, generation: UInt32,
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
    wantedPlace = WantedPlace(
      nanoseconds: nanoseconds, generation: generation, isReturn: isReturn,
      purpose: purpose)
  }

  /// Gives a seek up that has led away from where the feeder was: what follows the track is next.
  func abandonSeek() {
    guard let place = wantedPlace else { return }
    wantedPlace = nil
    begin(generation: place.generation)
    let frame = Int64(clamping: place.nanoseconds)
    let seek = TrackSeek(
      askedFrame: frame, reachedFrame: frame, isEstimated: true, errorBoundFrames: nil)
    events.append(.sought(track: trackIndex, seek, sampleRate: 1_000_000_000))
  }

  /// Leads the reader to the wanted place: reads until the format is known, turns there, and reads until
  /// its first frame is found.
  func stepSeek(
    in reader: TrackReader, timeoutNanoseconds: UInt64
  ) throws(PlayerError) -> Step {
    if let place = wantedPlace, let format = reader.output.information?.dataFormat {
      let frame = Double(place.nanoseconds) / 1_000_000_000 * format.sampleRate
      do throws(PlayerError) {
        try reader.beginSeek(
          toFrame: Int64(min(frame.rounded(), 0x1p60)), generation: place.generation,
          purpose: place.purpose)
      } catch {
        if place.isReturn {
          events.append(.failed(track: trackIndex, error))
          abandonSeek()
        } else {
          wantedPlace = nil
          events.append(.seekRefused(track: trackIndex, error))
        }
        return .progressed
      }
      wantedPlace = nil
      begin(generation: place.generation)
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
      // There is no audio in it to seek in.
      abandonSeek()
      return .progressed
    }
    return try step(reader, timeoutNanoseconds: timeoutNanoseconds)
  }
}
