// SPDX-License-Identifier: MIT

public import JACKRemoteIO
public import RenderCore

// The differences of a JACK server from a sound card: it may end, change its rate, or be far away.
extension RemoteIO {
  /// Handles the server's notices since the last call.
  ///
  /// - Returns: the server's new rate, if it has changed.
  /// - Throws: `PlayerFailure` if the server has ended.
  public func takeServerChanges() throws(PlayerFailure) -> Double? {
    var rate: Double?
    for notice in takeNotices() {
      switch notice {
      case .serverShutDown(let reason):
        throw PlayerFailure(
          "the JACK server \(serverName) has ended (\(reason)); start it and play again")
      case .sampleRateChanged(let hertz): rate = hertz
      case .reattached, .xruns, .bufferSizeChanged, .freewheeling: break
      }
    }
    return rate
  }

  /// Waits until all rendered sound has been played: closing before that would cut it off.
  public func waitUntilHeard(_ renderer: Renderer, or signals: TerminationSignals) {
    let behind = UInt64(max(0, playbackLatency?.upperBound ?? 0) + bufferSize)
    let end = renderer.telemetry.frames + behind
    while renderer.telemetry.frames < end, !isServerShutDown, !isStalled {
      if signals.arrive(withinMilliseconds: 10) { return }
    }
  }
}
