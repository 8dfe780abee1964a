// SPDX-License-Identifier: MIT

internal import RenderCore

/// The last request of the transport that a player follows.
struct TransportTask {
  /// The number of the request.
  var request: UInt32 = 0
  /// The requested time on the time line.
  var nanoseconds: UInt64 = 0
}

extension SteppedPlayer {
  /// Interval between looks at the transport.
  static var transportLookNanoseconds: UInt64 { 5_000_000 }

  /// The known starts of the tracks on the time line; empty without a transport.
  var trackStarts: [UInt64] { configuration.followsTransport ? feeder.trackStarts.starts : [] }

  /// Seeks to the transport's position after a new request.
  func followTransport() {
    guard configuration.followsTransport else { return }
    let request = control.transportRequest
    guard request.number != transport.request else { return }
    transport.request = request.number
    transport.nanoseconds = UInt64(
      (Double(request.frame) * 1_000_000_000 / control.outputRate).rounded())
    goToTransport()
  }

  private func goToTransport() {
    let (track, nanoseconds) = feeder.trackStarts.position(at: transport.nanoseconds)
    guard feeder.items.indices.contains(track) else {
      return control.answer(.silence, to: transport.request)
    }
    control.holdsOutput = machine.awaitsSound
    startSeek(inTrack: track, toNanoseconds: nanoseconds)
  }

  /// Continues a seek behind a track's end in the next track, if there is one.
  func followBehind(track: Int) {
    guard configuration.followsTransport, let length = seek?.result?.reachedNanoseconds,
      feeder.items.indices.contains(track + 1)
    else { return }
    let known = information[track]?.durationNanoseconds ?? length
    feeder.trackStarts.note(
      feeder.trackStarts.start(of: track) + min(length, known), of: track + 1)
    goToTransport()
  }

  /// Starts the next track at the time of a track that cannot be played.
  func followFailure(ofTrack track: Int) {
    guard configuration.followsTransport, seek != nil, !feeder.trackStarts.isKnown(track + 1)
    else { return }
    feeder.trackStarts.note(feeder.trackStarts.start(of: track), of: track + 1)
  }

  /// Answers the transport with silence if no sound follows a completed seek.
  func answerSilence() {
    guard configuration.followsTransport, lastStep == .finished,
      lastBegunFlushSerial != flushSerial
    else { return }
    control.answer(.silence, to: transport.request)
  }

  /// Notes the start of a track that playback has reached without a seek.
  func noteStart(ofTrack track: Int, at outputFrame: UInt64) {
    guard configuration.followsTransport, comingPosition == nil,
      let before = timeline.position(at: outputFrame), before.track + 1 == track
    else { return }
    feeder.trackStarts.note(
      feeder.trackStarts.start(of: before.track) + before.nanoseconds, of: track)
  }

  /// Returns whether a command has no effect because the player follows a transport.
  func isTransports(_ command: Command) -> Bool {
    guard configuration.followsTransport else { return false }
    return switch command {
    case .next, .previous, .restart, .track, .seek, .seekBy, .scan, .changeScanSpeed, .setRepeat:
      true
    case .pause, .resume, .stop, .append: false
    }
  }
}
