// SPDX-License-Identifier: MIT

internal import Synchronization

/// The measurements of a source's meters. Sums only grow, so that they can be read at any time; a reader takes the
/// peaks.
@safe
struct SourceLevels: ~Copyable {
  private let channels: Int
  private let frames = Atomic<UInt64>(0)
  /// Each holds the bits of a `Double`.
  private let sums: UnsafeMutablePointer<Atomic<UInt64>>
  /// The largest mean square of a cycle's frames, 96 dB above full scale. A cycle with more, or with NaN, is ignored:
  /// later additions would be lost in rounding.
  private static var largestSquare: Double { @_noLocks get { 0x1p32 } }
  /// Each holds the bits of a `Float`, which have the order of the numbers.
  private let peaks: UnsafeMutablePointer<Atomic<UInt32>>

  init(channels: Int) {
    self.channels = channels
    unsafe sums = .allocate(capacity: channels)
    unsafe peaks = .allocate(capacity: channels)
    for channel in 0..<channels {
      unsafe (sums + channel).initialize(to: Atomic(0))
      unsafe (peaks + channel).initialize(to: Atomic(0))
    }
  }

  deinit {
    unsafe sums.deinitialize(count: channels)
    unsafe sums.deallocate()
    unsafe peaks.deinitialize(count: channels)
    unsafe peaks.deallocate()
  }

  /// Adds the levels of a cycle. Real-time: wait-free, render thread only.
  @_noLocks
  func measure(
    _ buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, frameCount: Int
  ) {
    for channel in 0..<(channels < buffers.count ? channels : buffers.count) {
      unsafe note(CycleLevel(of: buffers[channel], frameCount: frameCount), channel, frameCount)
    }
    count(frameCount)
  }

  /// Adds the level of a channel in a cycle. After all channels, call ``count(_:)``.
  @_noLocks
  func note(_ level: CycleLevel, _ channel: Int, _ frameCount: Int) {
    if level.sumOfSquares <= Self.largestSquare * Double(frameCount) {
      let before = unsafe Double(bitPattern: (sums + channel).pointee.load(ordering: .relaxed))
      unsafe (sums + channel).pointee.store(
        (before + level.sumOfSquares).bitPattern, ordering: .relaxed)
    }
    // An atomic maximum takes longer than all the rest, and most cycles are below the peak.
    let peak = level.peak.bitPattern
    if unsafe peak > (peaks + channel).pointee.load(ordering: .relaxed) {
      unsafe (peaks + channel).pointee.max(peak, ordering: .relaxed)
    }
  }

  @_noLocks
  func count(_ frameCount: Int) { frames.grow(by: UInt64(frameCount)) }

  func take() -> [SourceLevel] {
    let frames = frames.load(ordering: .relaxed)
    return (0..<channels).map { channel in
      unsafe SourceLevel(
        frames: frames,
        sumOfSquares: Double(bitPattern: (sums + channel).pointee.load(ordering: .relaxed)),
        peak: Float(
          bitPattern: (peaks + channel).pointee.exchange(0, ordering: .relaxed)))
    }
  }
}
