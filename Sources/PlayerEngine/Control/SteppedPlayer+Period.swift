// SPDX-License-Identifier: MIT

internal import RenderCore

extension SteppedPlayer {
  /// Follows the output's period. If the playing track needs the other decoding thread with the present period, the
  /// sound fades out, the feeder seeks to the next frame, and the sound fades in. A server interrupts the sound for a
  /// new period anyway.
  ///
  /// Network streams, sources that cannot seek, and players that follow a transport keep the decoder until the next
  /// stream or seek: this is not worth another request, which may fail.
  func followPeriod() {
    feeder.periodFrames = renderer.context.periodFrames
    // The silence lasts until the internal seek ends.
    if let seek, seek.isInternal { return }
    guard seek == nil, queuedSeek == nil, scanSpeed == 0, !machine.isStopping,
      machine.state == .playing || machine.state == .paused, let track = startedTrack,
      let choice = choiceForPeriod(ofTrack: track)
    else { return endMove() }
    guard choice.thread != decoders[track]?.thread, canMove(track) else {
      decoders[track]?.reason = choice.reason
      return endMove()
    }
    if machine.state == .playing {
      movesDecoder = true
      control.mode = .pause
    }
    guard control.isSilent else { return }
    // Only one attempt for this period, even if the seek fails.
    decoders[track]?.reason = choice.reason
    let position = shownPosition
    startSeek(inTrack: position.track, toNanoseconds: position.nanoseconds)
    seek?.isInternal = true
    if seek == nil { endMove() }
  }

  /// Ends the silence in which the decoder moves, if any.
  func endMove() {
    guard movesDecoder else { return }
    movesDecoder = false
    if machine.state == .playing, !machine.isStopping { control.mode = .play }
  }

  /// Returns the choice for a track with the present period; nil if the track's choice was made for that period, or not by
  /// measurement.
  private func choiceForPeriod(ofTrack track: Int) -> DecoderChoice? {
    guard feeder.periodFrames > 0, var choice = decoders[track],
      case .measured(let packet, let period) = choice.reason
    else { return nil }
    let present = feeder.periodNanoseconds
    if present == period { return nil }
    choice.chooseThread(packetNanoseconds: packet, periodNanoseconds: present)
    return choice
  }

  private func canMove(_ track: Int) -> Bool {
    !configuration.followsTransport && feeder.isLocal(track: track)
      && feeder.canTurnBack(inTrack: track) == true
  }
}
