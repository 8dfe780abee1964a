// SPDX-License-Identifier: MIT

internal import CJACK

/// Control of JACK's transport by the recorder's client.
extension JACKRecorder {
  /// Starts the transport.
  public func startTransport() { unsafe jack_transport_start(client) }

  /// Stops the transport.
  public func stopTransport() { unsafe jack_transport_stop(client) }

  /// Moves the transport to a frame.
  public func locateTransport(_ frame: UInt32) { unsafe jack_transport_locate(client, frame) }

  /// Sets the time for which the transport waits for clients that are not ready.
  public func setSyncTimeout(microseconds: UInt64) {
    unsafe jack_set_sync_timeout(client, microseconds)
  }

  /// Whether the transport rolls now, and its frame.
  public var transport: (isRolling: Bool, frame: UInt32) {
    var frame: UInt32 = 0
    let isRolling = unsafe cjack_transport(client, &frame)
    return (isRolling, frame)
  }

  /// Moves the transport to a frame, and waits until it has rolled `count` frames from there.
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

  /// Moves the transport to a frame, starts it, and waits until it rolls there.
  public func rollTransport(from frame: UInt32) -> Bool {
    locateTransport(frame)
    guard eventually({ !transport.isRolling && transport.frame == frame }) else {
      return false
    }
    startTransport()
    return eventually { transport.isRolling }
  }
}
