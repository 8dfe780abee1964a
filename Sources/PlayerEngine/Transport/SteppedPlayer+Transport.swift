// SPDX-License-Identifier: MIT

internal import RenderCore

/// What a player that follows a transport is asked for last.
struct TransportTask {
  /// The number of the request.
  var request: UInt32 = 0
  /// Where on the time line that is.
  var nanoseconds: UInt64 = 0
}

extension SteppedPlayer {
  /// How often it is looked whether the transport is elsewhere.
  static var transportLookNanoseconds: UInt64 { 5_000_000 }

  /// Where the tracks begin on the time line, as far as is known; empty without a transport.
  var trackStarts: [UInt64] { configuration.followsTransport ? feeder.trackStarts.starts : [] }

  /// Goes where the transport wants, where that has changed.
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
    let (track, nanoseconds) = feeder.trackStarts.place(at: transport.nanoseconds)
    guard feeder.items.indices.contains(track) else {
      return control.answer(.silence, to: transport.request)
    }
    control.isAwaited = machine.awaitsSound
    startSeek(inTrack: track, toNanoseconds: nanoseconds)
  }

  /// The wanted place lies behind the end of a track: in the next one, if there is one.
  func followBehind(track: Int) {
    guard configuration.followsTransport, let length = seek?.result?.reachedNanoseconds,
      feeder.items.indices.contains(track + 1)
    else { return }
    let known = information[track]?.durationNanoseconds ?? length
    feeder.trackStarts.note(
      feeder.trackStarts.start(of: track) + min(length, known), of: track + 1)
    goToTransport()
  }

  /// A track of a list that is followed cannot be played: the next one takes its place.
  func followFailure(ofTrack track: Int) {
    guard configuration.followsTransport, seek != nil, !feeder.trackStarts.isKnown(track + 1)
    else { return }
    feeder.trackStarts.note(feeder.trackStarts.start(of: track), of: track + 1)
  }

  /// A seek has been gone over to, and no sound follows it.
  func answerSilence() {
    guard configuration.followsTransport, lastStep == .finished,
      lastBegunGeneration != generation
    else { return }
    control.answer(.silence, to: transport.request)
  }

  /// A track that was played up to has begun.
  func noteStart(ofTrack track: Int, at outputFrame: UInt64) {
    guard configuration.followsTransport, comingPlace == nil,
      let before = timeline.position(at: outputFrame), before.track + 1 == track
    else { return }
    feeder.trackStarts.note(
      feeder.trackStarts.start(of: before.track) + before.nanoseconds, of: track)
  }

  /// Whether a command is the transport's to give.
  func isTransports(_ command: Command) -> Bool {
    guard configuration.followsTransport else { return false }
    return switch command {
    case .next, .previous, .restart, .track, .seek, .seekBy, .scan, .changeScanSpeed, .setRepeat:
      true
    case .pause, .resume, .stop, .append: false
    }
  }
}
