// SPDX-License-Identifier: MIT

internal import Synchronization

/// What a converter needs when the renderer's rate changes: made off the render thread, left in a slot of the
/// converter's, taken there by the render thread, and freed with the converter.
@safe
struct ResamplerChange: ~Copyable {
  /// The renderer's new rate.
  let rendererRate: Int
  /// The resampler to go on with, nil where none is needed. Once taken, the one that was used before.
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

  /// Leaves a change in a slot; one that still lies there is freed. Never on the render thread.
  static func offer(_ change: consuming ResamplerChange, in slot: borrowing Atomic<UInt>) {
    let address = unsafe UnsafeMutablePointer.allocating(change)
    let old = slot.exchange(UInt(bitPattern: address), ordering: .acquiringAndReleasing)
    unsafe UnsafeMutablePointer<ResamplerChange>(bitPattern: old)?.destroy()
  }

  /// What lies in a slot, which is empty then.
  ///
  /// Real-time: wait-free, render thread only.
  @_noLocks
  static func take(from slot: borrowing Atomic<UInt>) -> UnsafeMutablePointer<ResamplerChange>? {
    guard slot.load(ordering: .relaxed) != 0 else { return nil }
    let address = slot.exchange(0, ordering: .acquiringAndReleasing)
    return unsafe UnsafeMutablePointer<ResamplerChange>(bitPattern: address)
  }

  /// Frees what lies in a slot, and every change that was taken. Never on the render thread.
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
