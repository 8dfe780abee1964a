// SPDX-License-Identifier: MIT

/// Where a cycle is on a time line that others drive: JACK's transport.
public struct RenderTransport: Sendable, Equatable {
  /// The time line's frame at the cycle's first frame, at the output's rate; below zero where the output
  /// follows no transport.
  public var frame: Int64
  /// Whether time passes: the frames from ``frame`` on are to be heard in this cycle. Else it stands there.
  public var isRolling: Bool

  /// A place on a time line.
  @_noLocks
  public init(frame: Int64, isRolling: Bool) {
    self.frame = frame
    self.isRolling = isRolling
  }

  /// Where it is so many frames into the cycle.
  @_noLocks
  public func advanced(by frames: Int) -> RenderTransport {
    isRolling ? RenderTransport(frame: frame + Int64(frames), isRolling: true) : self
  }

  /// No transport.
  public static var none: RenderTransport {
    @_noLocks get { RenderTransport(frame: -1, isRolling: false) }
  }
}

/// Where a transport wants a source that follows it: to be answered by its feeder.
public struct TransportRequest: Sendable, Equatable {
  /// Different from that of the request before; 0 before the first.
  public var number: UInt32
  /// The time line's frame, at the output's rate.
  public var frame: UInt32

  // How it travels in one word.
  init(coded: UInt64) {
    number = UInt32(truncatingIfNeeded: coded >> 32)
    frame = UInt32(truncatingIfNeeded: coded)
  }
}

/// What becomes of a request that no sound can be fed for.
public enum TransportAnswer: Sendable, Equatable {
  /// There is no sound at that frame, nor behind it.
  case silence
  /// The source cannot go there: what is in the ring sounds from now on, wherever that is.
  case here
}
