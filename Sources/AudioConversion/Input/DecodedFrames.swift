// SPDX-License-Identifier: MIT

/// Decoded frames for the next stage, interleaved. Doubles, so that integers of 32 bits pass unchanged.
struct DecodedFrames {
  private(set) var channels: Int
  private var samples: [Double] = []
  private var start = 0
  private(set) var count = 0

  init(channels: Int) {
    self.channels = channels
  }

  /// Replaces the old frames, which must be used up.
  ///
  /// - Parameter channels: the number of channels; nil for the same as before.
  mutating func replace(
    frames: Int, channels: Int? = nil, _ write: (UnsafeMutablePointer<Double>) -> Void
  ) {
    if let channels { self.channels = channels }
    let channels = self.channels
    if samples.count < frames * channels {
      samples = Array(repeating: 0, count: frames * channels)
    }
    start = 0
    count = frames
    guard frames > 0 else { return }
    unsafe samples.withUnsafeMutableBufferPointer { buffer in
      if let base = buffer.baseAddress { unsafe write(base) }
    }
  }

  /// Passes the remaining frames to `body`.
  func read(_ body: (UnsafePointer<Double>) -> Void) {
    unsafe samples.withUnsafeBufferPointer { buffer in
      if let base = buffer.baseAddress { unsafe body(base + start * channels) }
    }
  }

  mutating func drop(_ frames: Int) {
    let dropped = min(frames, count)
    start += dropped
    count -= dropped
  }

  mutating func removeAll() {
    count = 0
  }
}
