// SPDX-License-Identifier: MIT

/// The counters of the render path: written by the render thread only, read by any thread without stopping it. Each
/// number is exact as of some recent cycle.
public struct RenderTelemetry: Sendable, Equatable {
  /// Cycles rendered.
  public var cycles: UInt64
  /// Frames written to each output, including silence.
  public var frames: UInt64
  /// The duration of the last cycle's rendering in nanoseconds.
  public var lastCycleNanoseconds: UInt64
  /// The duration of the longest cycle's rendering in nanoseconds.
  public var longestCycleNanoseconds: UInt64
  /// The duration of all rendering in nanoseconds.
  public var totalNanoseconds: UInt64
  /// Samples of all outputs that were NaN or infinite. Silence replaced them.
  public var nonFiniteSamples: UInt64
}
