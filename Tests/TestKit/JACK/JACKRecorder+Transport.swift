// SPDX-License-Identifier: MIT

internal import CJACK

/// The recorder as the one that has the transport go somewhere.
extension JACKRecorder {
  /// Lets the transport roll.
  public func startTransport() { unsafe jack_transport_start(client) }

  /// Has the transport stand.
  public func stopTransport() { unsafe jack_transport_stop(client) }

  /// Has the transport go to a frame.
  public func locateTransport(_ frame: UInt32) { unsafe jack_transport_locate(client, frame) }

  /// How long the transport waits for clients that are not ready.
  public func setSyncTimeout(microseconds: UInt64) {
    unsafe jack_set_sync_timeout(client, microseconds)
  }

  /// Whether the transport rolls now, and its frame.
  public var transport: (isRolling: Bool, frame: UInt32) {
    var frame: UInt32 = 0
    let isRolling = unsafe cjack_transport(client, &frame)
    return (isRolling, frame)
  }

  /// Has the transport go to a frame, and waits until it has rolled so many frames from there.
  public func locateTransport(_ frame: UInt32, andHear count: Int) -> Bool {
    let start = frameCount
    locateTransport(frame)
    return eventually {
      guard let first = firstIndex(ofTransportFrame: Int64(frame), from: start) else {
        return false
      }
      return firstIndex(ofTransportFrame: Int64(frame) + Int64(count), from: first) != nil
    }
  }

  /// Has the transport go to a frame, and waits until it rolls there.
  public func rollTransport(from frame: UInt32) -> Bool {
    locateTransport(frame)
    guard eventually({ !transport.isRolling && transport.frame == frame }) else {
      return false
    }
    startTransport()
    return eventually { transport.isRolling }
  }
}
