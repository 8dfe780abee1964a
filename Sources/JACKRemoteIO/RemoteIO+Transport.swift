// SPDX-License-Identifier: MIT

internal import CJACK

extension RemoteIO {
  /// The server's transport: one time line for all clients, on which any of them may go anywhere.
  public struct Transport: Sendable, Equatable {
    /// What it is doing.
    public enum State: String, Sendable {
      /// It stands at its frame.
      case stopped
      /// It is to roll as soon as all who follow it are ready, or the server waits for them no longer.
      case starting
      /// Time passes.
      case rolling
    }

    /// What it is doing.
    public var state: State
    /// The time line's frame at the start of the cycle that runs, at the server's rate.
    public var frame: UInt32
    /// Frames in a second.
    public var sampleRate: Double

    /// The time that is ``frame``, in nanoseconds.
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

  /// Lets the transport roll, for all clients: in the next cycles, when all who follow it are ready. Any
  /// thread; does not wait, and does nothing when closed or without a server.
  public func startTransport() {
    live.withLock { $0?.startTransport() }
  }

  /// Has the transport stand still, for all clients, from one of the next cycles on. As
  /// ``startTransport()``.
  public func stopTransport() {
    live.withLock { $0?.stopTransport() }
  }

  /// Has the transport go to a frame of its time line, for all clients, in one of the next cycles. Where it
  /// rolls it goes on rolling there, when all who follow it are ready. As ``startTransport()``.
  public func locateTransport(toFrame frame: UInt32) {
    live.withLock { $0?.locateTransport(toFrame: frame) }
  }

  /// As ``locateTransport(toFrame:)``, to the frame at a time; at the last one if that is later, which at
  /// 48 kHz is after a day.
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
