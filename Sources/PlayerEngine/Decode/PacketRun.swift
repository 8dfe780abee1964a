// SPDX-License-Identifier: MIT

/// The size of linear PCM packets in the ring: runs of frames, because a single frame is too small for the ring and
/// seconds of frames are too much work for one cycle.
enum PacketRun {
  /// The most frames in a run.
  static let maximumFrames = 1024
  private static let maximumBytes = 16 << 10

  /// Returns the most frames in a run, for frames of this many bytes: at least one.
  static func maximumFrames(bytesPerFrame: Int) -> Int {
    max(1, min(maximumFrames, maximumBytes / max(1, bytesPerFrame)))
  }
}
