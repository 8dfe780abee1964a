// SPDX-License-Identifier: MIT

/// A limiter without look-ahead: the gain falls within the frame that needs it, for all channels alike,
/// and comes back exponentially. While nothing is too loud samples stay as they are, to the bit.
///
/// Real-time: every call is wait-free, render thread only.
struct PeakLimiter {
  /// The largest magnitude that is let through; 0 for any.
  var limit: Float = 0
  /// The part of the way back to 1 that one frame makes.
  var release: Float = 0
  /// What the gain lacks of 1: near 1 the gain itself has not the digits for so small steps.
  private var reduction: Float = 0

  @_noLocks
  init() {}

  /// True while a limit is set or the gain returns to 1.
  var isAtWork: Bool { @_noLocks get { reduction != 0 || limit != 0 } }

  /// - Returns: the lowest gain that there was.
  @_noLocks
  mutating func apply(
    to buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, frameCount: Int
  ) -> Float {
    if reduction == 0 {
      if limit == 0 { return 1 }
      if unsafe !exceeds(limit, buffers, frameCount: frameCount) { return 1 }
    }
    var lowest = 1 - reduction
    for i in 0..<frameCount {
      var peak: Float = 0
      for channel in 0..<buffers.count {
        let sample = unsafe buffers[channel][i]
        // No loudspeaker is to get what is no number.
        if !sample.isFinite {
          unsafe buffers[channel][i] = 0
        } else if sample.magnitude > peak {
          peak = sample.magnitude
        }
      }
      reduction -= reduction * release
      if reduction < 1e-6 { reduction = 0 }
      if limit > 0, peak * (1 - reduction) > limit { reduction = 1 - limit / peak }
      if reduction == 0 { continue }
      let gain = 1 - reduction
      if gain < lowest { lowest = gain }
      for channel in 0..<buffers.count {
        let sample = unsafe buffers[channel][i] * gain
        unsafe buffers[channel][i] =
          limit > 0 && sample.magnitude > limit ? (sample < 0 ? -limit : limit) : sample
      }
    }
    return lowest
  }

  /// Whether any sample is above the limit, or no number.
  @_noLocks
  private func exceeds(
    _ limit: Float, _ buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>,
    frameCount: Int
  ) -> Bool {
    for channel in 0..<buffers.count {
      let samples = unsafe buffers[channel]
      var isWithin = true
      for i in 0..<frameCount { unsafe isWithin = samples[i].magnitude <= limit && isWithin }
      if !isWithin { return true }
    }
    return false
  }
}
