// SPDX-License-Identifier: MIT

internal import Synchronization

extension RenderState {
  /// Replaces samples that are no finite numbers by silence, and counts them: a decoder, a file of floats, a
  /// callback or another client may give NaN or infinity, which some sound cards play at full scale.
  ///
  /// Every output of every cycle passes here, so the usual case is one comparison a sample, several at once.
  @_noLocks
  func makeFinite(
    _ outputs: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, frameCount: Int
  ) {
    for channel in 0..<outputs.count {
      let samples = unsafe outputs[channel]
      var isFinite = true
      for i in 0..<frameCount {
        unsafe isFinite = samples[i].magnitude <= .greatestFiniteMagnitude && isFinite
      }
      if !isFinite { unsafe silenceNonFinite(samples, frameCount: frameCount) }
    }
  }

  @_noLocks @inline(never)
  private func silenceNonFinite(_ samples: UnsafeMutablePointer<Float>, frameCount: Int) {
    var count: UInt64 = 0
    for i in 0..<frameCount where unsafe !samples[i].isFinite {
      unsafe samples[i] = 0
      count &+= 1
    }
    nonFiniteSamples.grow(by: count)
  }
}
