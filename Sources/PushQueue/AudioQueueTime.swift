// SPDX-License-Identifier: MIT

internal import Synchronization

/// A time on a queue's or on its device's time line. Core Audio's `AudioTimeStamp` with sample and host
/// time.
public struct AudioQueueTime: Hashable, Sendable {
  /// Frames: of the source for a queue's time, of the output for its device's.
  public var sampleTime: Double
  /// The same time on the output's clock, in nanoseconds.
  public var hostNanoseconds: UInt64

  /// Creates a time with these numbers.
  public init(sampleTime: Double, hostNanoseconds: UInt64) {
    self.sampleTime = sampleTime
    self.hostNanoseconds = hostNanoseconds
  }
}

/// Reports each discontinuity of a queue's time once: an underrun, or another rate of the output. Core Audio's
/// `AudioQueueTimeline`.
public final class AudioQueueTimeline: Sendable {
  let owner: ObjectIdentifier
  /// Discontinuities that were reported.
  private let told: Atomic<UInt64>

  init(owner: ObjectIdentifier, discontinuities: UInt64) {
    self.owner = owner
    told = Atomic(discontinuities)
  }

  /// Returns whether there were more since the last call.
  func takeDiscontinuity(_ discontinuities: UInt64) -> Bool {
    told.exchange(discontinuities, ordering: .acquiringAndReleasing) != discontinuities
  }
}

/// The level of a queue at one output. Core Audio's `AudioQueueLevelMeterState`.
public struct AudioQueueLevel: Hashable, Sendable {
  /// The root of the mean square, 1 being full scale.
  public var average: Float
  /// The largest magnitude, 1 being full scale.
  public var peak: Float

  /// Creates a level with these numbers.
  public init(average: Float, peak: Float) {
    self.average = average
    self.peak = peak
  }
}
