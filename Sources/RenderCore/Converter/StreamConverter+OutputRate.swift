// SPDX-License-Identifier: MIT

internal import Synchronization

extension StreamConverter {
  /// Stores a resampler for another output rate in a converter that the render thread may be using. Feeder's side
  /// only, and only until the converter has been returned.
  ///
  /// - Throws: `sampleRateNotSupported`; then nothing has changed.
  static func offer(
    outputRate: Int, quality: ResamplerQuality, to converter: UnsafeMutablePointer<StreamConverter>
  ) throws(AudioConverterError) {
    let inputRate = unsafe converter.pointee.inputRate
    var resampler: UnsafeMutablePointer<Resampler>?
    if inputRate != outputRate {
      unsafe resampler = .allocating(
        try Resampler(
          inputRate: inputRate, outputRate: outputRate, channels: converter.pointee.channels,
          quality: quality))
    }
    unsafe ResamplerChange.offer(
      ResamplerChange(rendererRate: outputRate, resampler: resampler),
      in: converter.pointee.offeredChange)
  }

  /// Continues at the output rate that was offered last, with the frame that follows the last one output. The old
  /// resampler's input without output goes through the new one.
  ///
  /// Real-time: wait-free, render thread only.
  ///
  /// - Returns: the duration of the sound between the last frame and the next one of the new rate, in nanoseconds,
  ///   less than one of its frames; nil if nothing is offered.
  @_noLocks
  mutating func takeOfferedChange() -> UInt64? {
    guard let change = unsafe ResamplerChange.take(from: offeredChange) else { return nil }
    let old = unsafe resampler
    var dropped: UInt64 = 0
    if let new = unsafe change.pointee.resampler {
      if let old = unsafe old { unsafe dropped = new.pointee.resume(after: old) }
      unsafe resampler = new
      unsafe change.pointee.resampler = old
      decodeDirectFrames()
    } else if let old = unsafe old {
      // The old resampler outputs its remaining input, and is removed afterwards.
      unsafe dropped = old.pointee.bypass()
    }
    outputRate = unsafe change.pointee.rendererRate
    unsafe change.pointee.previous = takenChanges
    unsafe takenChanges = change
    return dropped
  }

  /// Removes the resampler, once its input has been output.
  @_noLocks @inline(never)
  mutating func endBypass() {
    guard let resampler = unsafe resampler else { return }
    unsafe resampler.pointee.bypassedBefore = bypassed
    unsafe bypassed = resampler
    unsafe self.resampler = nil
  }

  /// Frees the resamplers that were bypassed. Never on the render thread.
  static func free(bypassed: UnsafeMutablePointer<Resampler>?) {
    var next = unsafe bypassed
    while let resampler = unsafe next {
      unsafe next = resampler.pointee.bypassedBefore
      unsafe resampler.destroy()
    }
  }
}
