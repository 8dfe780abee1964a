// SPDX-License-Identifier: MIT

internal import Synchronization

/// Most cycles of a source are like the one before: no setting is new, nothing fades, and the frames lie in the
/// packet that is being given, as they go to the outputs. What such a cycle takes stands here together, because a
/// thread that has slept finds neither its code nor its data in the caches: each line that a cycle touches, or that
/// lies between those, costs it time. Anything else is ``SourceUnit/render(_:deviceFrame:into:)``'s.
extension SourceUnit {
  /// Gives a cycle's frames as that would, if there is nothing to do but that.
  ///
  /// Real-time: wait-free, render thread only.
  ///
  /// - Parameter deviceFrame: frames that the output was given before this cycle.
  /// - Returns: false when there is more to do. Nothing has been done then.
  @_noLocks
  mutating func renderSteadily(
    _ cycle: RenderCycle, deviceFrame: UInt64,
    into buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  ) -> Bool {
    guard isSteady, let converter = unsafe converter,
      unsafe converter.pointee.directFrames >= cycle.frameCount,
      hasOldSettings(deviceFrame: deviceFrame)
    else { return false }
    _ = unsafe converter.pointee.convert(into: buffers, offset: 0, frameCount: cycle.frameCount)
    clock.advance(cycle.frameCount)
    work.packets = 0
    work.isStarved = false
    work.bufferedNanoseconds = source.bufferedNanoseconds
    if work.bufferedNanoseconds < Self.lowNanoseconds {
      unsafe keepLastFrame(
        cycle.frameCount - 1, of: buffers, until: outputFrames &+ UInt64(cycle.frameCount))
    }
    publish(cycle, deviceFrame: deviceFrame, given: cycle.frameCount)
    return true
  }

  /// Whether the next cycle may be a steady one, as far as the source itself is concerned, after one in which
  /// all frames were sound.
  var canBeSteady: Bool {
    @_noLocks get {
      guard let converter = unsafe converter, !isDraining, schedule.count == 0, gain.isNeutral
      else { return false }
      return unsafe converter.pointee.outputRate == outputRate
    }
  }
}
