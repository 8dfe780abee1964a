// SPDX-License-Identifier: MIT

internal import Synchronization

/// Most cycles of a source are like the one before: no setting is new, nothing fades, and the frames are in the current
/// packet in the form of the outputs. The code for such a cycle is together in this file. A thread that has slept finds
/// neither its code nor its data in the caches: each line that a cycle uses, or that is between those, costs it time.
/// All other cycles use ``SourceUnit/render(_:deviceFrame:into:)``.
extension SourceUnit {
  /// Renders a cycle like ``render(_:deviceFrame:into:)``, if the cycle needs only frames.
  ///
  /// Real-time: wait-free, render thread only.
  ///
  /// - Parameter deviceFrame: frames that the output had received before this cycle.
  /// - Returns: false if there is more to do. In that case nothing has changed.
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

  /// Whether the source's own state allows the next cycle to be a steady one, after a cycle in which all frames were
  /// sound.
  var canBeSteady: Bool {
    @_noLocks get {
      guard let converter = unsafe converter, !isDraining, schedule.count == 0, gain.isNeutral
      else { return false }
      return unsafe converter.pointee.outputRate == outputRate
    }
  }
}
