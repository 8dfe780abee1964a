// SPDX-License-Identifier: MIT

internal import Synchronization

extension StreamConverter {
  /// Leaves a resampler for another output rate with a converter that the render thread may be using.
  /// Feeder's side only, while the converter has not come back.
  ///
  /// - Throws: `sampleRateNotSupported`; nothing has changed then.
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

  /// Goes on at the output rate that was offered last, with the frame that follows the last one given: what the
  /// old resampler had taken in and not given goes through the new one.
  ///
  /// Real-time: wait-free, render thread only.
  ///
  /// - Returns: how long the sound is that lies between the last frame and the next one of the new rate, less than
  ///   one of its frames; nil when nothing is offered.
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
      // It gives what it has, and goes then.
      unsafe dropped = old.pointee.bypass()
    }
    outputRate = unsafe change.pointee.rendererRate
    unsafe change.pointee.previous = takenChanges
    unsafe takenChanges = change
    return dropped
  }

  /// Goes on without the resampler, once the input that it had is given.
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
