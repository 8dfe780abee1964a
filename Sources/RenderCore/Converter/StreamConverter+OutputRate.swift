// SPDX-License-Identifier: MIT

internal import Synchronization

/// What a converter needs to give another rate: made on the feeder's side, taken by the render thread,
/// freed with the converter.
@safe
struct ResamplerChange: ~Copyable {
  let outputRate: Int
  /// The resampler to go on with, nil where none is needed. Once taken, the one that was used before.
  var resampler: UnsafeMutablePointer<Resampler>?
  /// The change that was taken before this one.
  var previous: UnsafeMutablePointer<ResamplerChange>?

  init(outputRate: Int, resampler: UnsafeMutablePointer<Resampler>?) {
    self.outputRate = outputRate
    unsafe self.resampler = resampler
  }

  deinit {
    unsafe resampler?.destroy()
  }
}

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
    let change = unsafe UnsafeMutablePointer.allocating(
      ResamplerChange(outputRate: outputRate, resampler: resampler))
    let old = unsafe converter.pointee.offeredChange.exchange(
      UInt(bitPattern: change), ordering: .acquiringAndReleasing)
    unsafe UnsafeMutablePointer<ResamplerChange>(bitPattern: old)?.destroy()
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
    guard offeredChange.load(ordering: .relaxed) != 0 else { return nil }
    let address = offeredChange.exchange(0, ordering: .acquiringAndReleasing)
    guard let change = unsafe UnsafeMutablePointer<ResamplerChange>(bitPattern: address) else {
      return nil
    }
    var dropped: UInt64 = 0
    if let resampler = unsafe resampler {
      let nanoseconds = unsafe resampler.pointee.pendingNanoseconds
      if nanoseconds > 0 { dropped = UInt64(nanoseconds) }
    }
    let old = unsafe resampler
    unsafe resampler = change.pointee.resampler
    if unsafe resampler != nil { decodeDirectFrames() }
    unsafe change.pointee.resampler = old
    outputRate = unsafe change.pointee.outputRate
    unsafe change.pointee.previous = takenChanges
    unsafe takenChanges = change
    return dropped
  }

  /// Frees every change. Never on the render thread.
  func freeChanges() {
    let offered = offeredChange.load(ordering: .acquiring)
    unsafe UnsafeMutablePointer<ResamplerChange>(bitPattern: offered)?.destroy()
    var next = unsafe takenChanges
    while let change = unsafe next {
      unsafe next = change.pointee.previous
      unsafe change.destroy()
    }
  }
}
