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

  /// Goes on at the output rate that was offered last.
  ///
  /// What the old resampler held back is dropped: some 20 milliseconds at the usual rates, while the
  /// server itself starts anew.
  ///
  /// Real-time: wait-free, render thread only.
  ///
  /// - Returns: how long the sound is that was dropped; nil when nothing is offered.
  @_noLocks
  mutating func takeOfferedChange() -> UInt64? {
    guard let change = unsafe ResamplerChange.take(from: offeredChange) else { return nil }
    var dropped: UInt64 = 0
    if let resampler = unsafe resampler {
      let nanoseconds = unsafe resampler.pointee.pendingNanoseconds
      if nanoseconds > 0 { dropped = UInt64(nanoseconds) }
    }
    let old = unsafe resampler
    unsafe resampler = change.pointee.resampler
    if unsafe resampler != nil { decodeDirectFrames() }
    unsafe change.pointee.resampler = old
    outputRate = unsafe change.pointee.rendererRate
    unsafe change.pointee.previous = takenChanges
    unsafe takenChanges = change
    return dropped
  }
}
