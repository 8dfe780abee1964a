// SPDX-License-Identifier: MIT

internal import RenderCore

extension SteppedPlayer {
  /// Length of each piece that a scan plays.
  private static var snippetNanoseconds: UInt64 { 300_000_000 }
  /// The highest speed: at 64 times, a piece of 0.3 s stands for 19 s.
  static var maximumScanSpeed: Int { 64 }

  /// Starts, changes or ends a scan, which plays short pieces so far apart that the track passes at this speed. 0 and 1
  /// end it.
  func setScan(speed: Int) {
    let speed = max(-Self.maximumScanSpeed, min(speed, Self.maximumScanSpeed))
    let wanted = speed == 1 || !feeder.items.indices.contains(shownPosition.track) ? 0 : speed
    guard wanted != scanSpeed else { return }
    scanSpeed = wanted
    scanTrack = shownPosition.track
    tell(.scan(speed: wanted))
  }

  /// Steps the scan's speed in a direction: 4, 8, 16 and 32 times. A call against the scan's direction halves its
  /// speed, or ends it at 4 times or less.
  func changeScanSpeed(forward: Bool) {
    let first = forward ? 4 : -4
    if scanSpeed == 0 { return setScan(speed: first) }
    guard (scanSpeed > 0) == forward else {
      return setScan(speed: abs(scanSpeed) > 4 ? scanSpeed / 2 : 0)
    }
    // A higher speed set by number stays.
    if abs(scanSpeed) < 32 { setScan(speed: max(-32, min(scanSpeed * 2, 32))) }
  }

  /// Seeks to the next piece once the last one was rendered.
  func stepScan() {
    guard scanSpeed != 0 else { return }
    let position = control.position
    guard machine.state == .playing, seek == nil, queuedSeek == nil, comingPosition == nil,
      let rendered = timeline.position(at: position.outputFrames)
    else { return }
    // The track has ended, or the track's start is reached.
    guard rendered.track == scanTrack,
      scanSpeed > 0 || rendered.nanoseconds > Self.snippetNanoseconds
    else { return setScan(speed: 0) }
    let heard = position.outputFrames - min(position.outputFrames, position.streamStartFrame)
    guard heard >= UInt64(timeline.outputRate * Double(Self.snippetNanoseconds) / 1e9) else {
      return
    }
    // The piece has already moved one snippet forward.
    beginSeek(byNanoseconds: Int64(Self.snippetNanoseconds) * Int64(scanSpeed - 1))
  }
}
