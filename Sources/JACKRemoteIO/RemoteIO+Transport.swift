// SPDX-License-Identifier: MIT

internal import CJACK

extension RemoteIO {
  /// The server's transport: one time line for all clients, each of which may locate it anywhere.
  public struct Transport: Sendable, Equatable {
    /// The activity of a transport.
    public enum State: String, Sendable {
      /// The transport stands at its frame.
      case stopped
      /// The transport rolls as soon as all clients that follow it are ready, or the server waits for them no
      /// longer.
      case starting
      /// Time passes.
      case rolling
    }

    /// The activity.
    public var state: State
    /// The time line's frame at the start of the running cycle, at the server's rate.
    public var frame: UInt32
    /// Frames in a second.
    public var sampleRate: Double

    /// The time of ``frame``, in nanoseconds.
    public var nanoseconds: UInt64 { UInt64(Double(frame) * 1_000_000_000 / max(1, sampleRate)) }
  }

  /// The server's transport now; nil when closed or without a server. Any thread; reads shared memory.
  public var transport: Transport? {
    let rate = sampleRate
    if storage.isServerGone { return nil }
    return live.withLock { client in
      client.map { client in
        let (state, frame) = client.transport
        return Transport(state: state, frame: frame, sampleRate: rate)
      }
    }
  }

  /// Starts the transport, for all clients: it rolls in one of the next cycles, when all clients that follow it
  /// are ready. Any thread; does not wait, and does nothing when closed or without a server.
  public func startTransport() {
    live.withLock { $0?.startTransport() }
  }

  /// Stops the transport, for all clients, from one of the next cycles on. Threads as for ``startTransport()``.
  public func stopTransport() {
    live.withLock { $0?.stopTransport() }
  }

  /// Locates the transport to a frame of its time line, for all clients, in one of the next cycles. A rolling
  /// transport rolls on from there when all clients that follow it are ready. Threads as for
  /// ``startTransport()``.
  public func locateTransport(toFrame frame: UInt32) {
    live.withLock { $0?.locateTransport(toFrame: frame) }
  }

  /// Locates the transport to the frame at a time, as ``locateTransport(toFrame:)`` does; to the last frame if
  /// the time is later, which at 48 kHz is after a day.
  public func locateTransport(toNanoseconds nanoseconds: UInt64) {
    let frame = (Double(nanoseconds) * sampleRate / 1_000_000_000).rounded()
    locateTransport(toFrame: UInt32(min(frame, Double(UInt32.max))))
  }
}

/// The server's transport. Shared memory, no request to the server: any thread while the client is open.
extension Client {
  var transport: (state: RemoteIO.Transport.State, frame: UInt32) {
    var position = jack_position_t()
    let state = unsafe jack_transport_query(handle, &position)
    let frame = unsafe cjack_position_frame(&position)
    return switch state {
    case JackTransportStopped: (.stopped, frame)
    case JackTransportStarting, JackTransportNetStarting: (.starting, frame)
    default: (.rolling, frame)
    }
  }

  func startTransport() { unsafe jack_transport_start(handle) }

  func stopTransport() { unsafe jack_transport_stop(handle) }

  func locateTransport(toFrame frame: UInt32) { unsafe jack_transport_locate(handle, frame) }
}
