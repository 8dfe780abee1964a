// SPDX-License-Identifier: MIT

/// What the render path has counted: written by the render thread alone, read by anyone without
/// stopping it. Each number is exact as of some recent cycle.
public struct RenderTelemetry: Sendable, Equatable {
  /// Cycles rendered.
  public var cycles: UInt64
  /// Frames given to each output, silence included.
  public var frames: UInt64
  /// Nanoseconds that the last cycle's rendering took.
  public var lastCycleNanoseconds: UInt64
  /// Nanoseconds that the longest cycle's rendering took.
  public var longestCycleNanoseconds: UInt64
  /// Nanoseconds that all rendering took.
  public var totalNanoseconds: UInt64
  /// Samples of all outputs that were NaN or infinite. Silence was given in their place.
  public var nonFiniteSamples: UInt64
}
