// SPDX-License-Identifier: MIT

/// The position of a cycle on a time line that other programs drive: JACK's transport.
public struct RenderTransport: Sendable, Equatable {
  /// The time line's frame at the cycle's first frame, at the output's rate; below zero if the output follows no
  /// transport.
  public var frame: Int64
  /// Whether time passes: the frames from ``frame`` on are to be output in this cycle. Otherwise the transport is
  /// stopped.
  public var isRolling: Bool

  /// Creates a position on a time line.
  @_noLocks
  public init(frame: Int64, isRolling: Bool) {
    self.frame = frame
    self.isRolling = isRolling
  }

  /// Returns the position `frames` frames later in the cycle.
  @_noLocks
  public func advanced(by frames: Int) -> RenderTransport {
    isRolling ? RenderTransport(frame: frame + Int64(frames), isRolling: true) : self
  }

  /// No transport.
  public static var none: RenderTransport {
    @_noLocks get { RenderTransport(frame: -1, isRolling: false) }
  }
}

/// The position that a transport requests from a source that follows it, to be answered by the source's feeder.
public struct TransportRequest: Sendable, Equatable {
  /// Different from the number of the request before; 0 before the first.
  public var number: UInt32
  /// The time line's frame, at the output's rate.
  public var frame: UInt32

  // The encoding in one word.
  init(coded: UInt64) {
    number = UInt32(truncatingIfNeeded: coded >> 32)
    frame = UInt32(truncatingIfNeeded: coded)
  }
}

/// The answer to a request for which no sound can be fed.
public enum TransportAnswer: Sendable, Equatable {
  /// There is no sound at that frame or behind it.
  case silence
  /// The source cannot seek there: the sound in the ring is output from now on, whatever its position.
  case here
}
