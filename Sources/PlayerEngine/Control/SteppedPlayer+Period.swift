// SPDX-License-Identifier: MIT

internal import RenderCore

extension SteppedPlayer {
  /// Follows the output's period. If the sounding track should now be decoded elsewhere, the sound fades out, the
  /// feeder seeks to the next frame, and the sound fades in. A server interrupts the sound for a new period anyway.
  ///
  /// Sources that cannot seek, and players that follow a transport, keep the decoder until the next stream or seek.
  func followPeriod() {
    let frames = renderer.context.periodFrames
    if frames != feeder.periodFrames {
      let isFirst = feeder.periodFrames == 0
      feeder.periodFrames = frames
      movesDecoder = !isFirst && frames > 0 && suitsOtherPlace(periodFrames: frames)
    }
    guard movesDecoder else { return }
    switch machine.state {
    case .playing where seek == nil && queuedSeek == nil && scanSpeed == 0:
      control.mode = .pause
      guard control.isSilent else { return }
    case .paused where seek == nil && queuedSeek == nil:
      guard control.isSilent else { return }
    default:
      // A seek chooses the decoder anew.
      movesDecoder = false
      return
    }
    movesDecoder = false
    let place = shownPlace
    startSeek(inTrack: place.track, toNanoseconds: place.nanoseconds)
    seek?.isInternal = true
    if seek == nil { soundAgain() }
  }

  /// Ends the silence that ``followPeriod()`` began.
  func soundAgain() {
    movesDecoder = false
    if machine.state == .playing, !machine.isStopping { control.mode = .play }
  }

  private func suitsOtherPlace(periodFrames: Int) -> Bool {
    guard !configuration.followsTransport, let track = startedTrack,
      let choice = decoders[track], case .measured(let packet, _) = choice.reason,
      feeder.canTurnBack(inTrack: track) == true
    else { return false }
    var other = choice
    other.choosePlace(
      packetNanoseconds: packet,
      periodNanoseconds: UInt64(periodFrames) * 1_000_000_000
        / UInt64(max(1, renderer.sampleRate)))
    return other.place != choice.place
  }
}
