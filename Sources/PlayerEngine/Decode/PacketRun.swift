// SPDX-License-Identifier: MIT

/// How linear PCM travels: as runs of frames, because a frame by itself is too small for the ring and
/// seconds of it too large for one cycle's work.
enum PacketRun {
  /// Frames of one run at most.
  static let maximumFrames = 1024
  private static let maximumBytes = 16 << 10

  /// Frames of one run when a frame has so many bytes: at least one.
  static func maximumFrames(bytesPerFrame: Int) -> Int {
    max(1, min(maximumFrames, maximumBytes / max(1, bytesPerFrame)))
  }
}
