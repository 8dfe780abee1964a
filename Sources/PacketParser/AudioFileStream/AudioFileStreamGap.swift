// SPDX-License-Identifier: MIT

/// A stretch of a stream that is missing from its packets.
public struct AudioFileStreamGap: Hashable, Sendable {
  /// The reason why a stretch is missing.
  public enum Cause: String, Hashable, Sendable, CaseIterable {
    /// The bytes are neither audio nor a known tag. No sound is known to be missing.
    case foreignBytes
    /// The audio is damaged.
    case damage
    /// The stream ends early: within a packet, or before all the audio that it states.
    case cut
    /// The audio has a form that no decoder here supports.
    case unsupported
  }

  /// The reason why the stretch is missing.
  public var cause: Cause
  /// The byte offset in the stream of the first missing byte.
  public var byteOffset: Int64
  /// Bytes missing; 0 at the end of the stream.
  public var byteCount: Int64
  /// Frames of sound missing, at the rate of the data format; nil if unknown.
  public var frameCount: Int64?

  /// Creates a missing stretch.
  public init(
    _ cause: Cause, byteOffset: Int64, byteCount: Int64, frameCount: Int64? = nil
  ) {
    self.cause = cause
    self.byteOffset = byteOffset
    self.byteCount = byteCount
    self.frameCount = frameCount
  }

  /// Whether sound is missing.
  public var isLoss: Bool { cause != .foreignBytes }
}
