// SPDX-License-Identifier: MIT

/// Frames of sound that are lost, and the bytes that should have held them.
struct LostFrames {
  var frames: Int64 = 0
  var byteOffset: Int64 = 0
  var byteCount: Int64 = 0
}
