// SPDX-License-Identifier: MIT

internal import Synchronization

/// A change of the renderer's rate, for one converter. The feeder's side makes it and stores it in a slot of the
/// converter; the render thread takes it from there; it is freed with the converter.
@safe
struct ResamplerChange: ~Copyable {
  /// The renderer's new rate.
  let rendererRate: Int
  /// The resampler to continue with, nil if none is needed. After the change was taken, the previous resampler.
  var resampler: UnsafeMutablePointer<Resampler>?
  /// The change that was taken before this one.
  var previous: UnsafeMutablePointer<ResamplerChange>?

  init(rendererRate: Int, resampler: UnsafeMutablePointer<Resampler>?) {
    self.rendererRate = rendererRate
    unsafe self.resampler = resampler
  }

  deinit {
    unsafe resampler?.destroy()
  }

  /// Stores a change in a slot and frees one that is still there. Never on the render thread.
  static func offer(_ change: consuming ResamplerChange, in slot: borrowing Atomic<UInt>) {
    let address = unsafe UnsafeMutablePointer.allocating(change)
    let old = slot.exchange(UInt(bitPattern: address), ordering: .acquiringAndReleasing)
    unsafe UnsafeMutablePointer<ResamplerChange>(bitPattern: old)?.destroy()
  }

  /// Takes the change in a slot, which is then empty.
  ///
  /// Real-time: wait-free, render thread only.
  @_noLocks
  static func take(from slot: borrowing Atomic<UInt>) -> UnsafeMutablePointer<ResamplerChange>? {
    guard slot.load(ordering: .relaxed) != 0 else { return nil }
    let address = slot.exchange(0, ordering: .acquiringAndReleasing)
    return unsafe UnsafeMutablePointer<ResamplerChange>(bitPattern: address)
  }

  /// Frees the change in a slot, and every change that was taken. Never on the render thread.
  static func free(
    in slot: borrowing Atomic<UInt>, taken: UnsafeMutablePointer<ResamplerChange>?
  ) {
    let offered = slot.load(ordering: .acquiring)
    unsafe UnsafeMutablePointer<ResamplerChange>(bitPattern: offered)?.destroy()
    var next = unsafe taken
    while let change = unsafe next {
      unsafe next = change.pointee.previous
      unsafe change.destroy()
    }
  }
}
