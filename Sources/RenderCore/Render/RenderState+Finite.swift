// SPDX-License-Identifier: MIT

internal import Synchronization

extension RenderState {
  /// Replaces samples that are NaN or infinite by silence, and counts them: a decoder, a file of floats, a callback
  /// or another client may write them, and some sound cards play them at full scale.
  ///
  /// Runs on every output of every cycle, so the usual case costs one addition for four samples: a sum is finite
  /// only if each of its terms is. The sum of huge finite samples overflows, so each sample is tested then.
  @_noLocks @inline(never)
  func makeFinite(
    _ outputs: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, frameCount: Int
  ) {
    // Beginning with 1, no sum is denormal.
    var sums = (SIMD4<Float>.one, SIMD4<Float>.one, SIMD4<Float>.one, SIMD4<Float>.one)
    for channel in 0..<outputs.count {
      var next = unsafe UnsafePointer(outputs[channel])
      var left = frameCount
      while left >= 16 {
        let frames = unsafe UnsafeRawPointer(next)
        sums.0 += unsafe frames.loadUnaligned(as: SIMD4<Float>.self)
        sums.1 += unsafe frames.loadUnaligned(fromByteOffset: 16, as: SIMD4<Float>.self)
        sums.2 += unsafe frames.loadUnaligned(fromByteOffset: 32, as: SIMD4<Float>.self)
        sums.3 += unsafe frames.loadUnaligned(fromByteOffset: 48, as: SIMD4<Float>.self)
        unsafe next += 16
        left = left &- 16
      }
      while left > 0 {
        sums.0[0] += unsafe next.pointee
        unsafe next += 1
        left = left &- 1
      }
    }
    let sum = (sums.0 + sums.1) + (sums.2 + sums.3)
    // x - x is 0 for a finite x, and NaN for every other.
    let rest = unsafe unsafeBitCast(sum - sum, to: SIMD2<UInt64>.self)
    if rest[0] | rest[1] != 0 { unsafe silenceNonFinite(outputs, frameCount: frameCount) }
  }

  @_noLocks @inline(never)
  private func silenceNonFinite(
    _ outputs: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, frameCount: Int
  ) {
    var count: UInt64 = 0
    for channel in 0..<outputs.count {
      let samples = unsafe outputs[channel]
      for i in 0..<frameCount where unsafe !samples[i].isFinite {
        unsafe samples[i] = 0
        count &+= 1
      }
    }
    nonFiniteSamples.grow(by: count)
  }
}
