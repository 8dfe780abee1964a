// SPDX-License-Identifier: MIT

/// The fade at an underrun, without look-ahead: frames already output do not change. Behind them the last one decays to
/// silence, and the sound that follows fades in.
extension SourceUnit {
  /// With less sound than this in the ring an underrun may be near, and the last frame of each cycle is kept. The
  /// current packet counts whole: a longer one can hide the end, which then has no decay.
  static var lowNanoseconds: UInt64 { @_noLocks get { 250_000_000 } }

  /// Keeps a frame that may become the last one before an underrun.
  ///
  /// - Parameters:
  ///   - index: the frame's index in the buffers.
  ///   - frame: the number of output frames up to its end.
  @_noLocks @inline(never)
  mutating func keepLastFrame(
    _ index: Int, of buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>,
    until frame: UInt64
  ) {
    for channel in 0..<buffers.count { unsafe lastFrame[channel] = buffers[channel][index] }
    lastFrameEnd = frame
  }

  /// Begins the decay behind the sound of this cycle, or of the cycle before if this one has none.
  ///
  /// - Parameter given: frames of sound in this cycle.
  @_noLocks @inline(never)
  mutating func beginTail(
    behind given: Int, in buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  ) {
    gain.setFade(0)
    if given > 0 {
      unsafe keepLastFrame(
        startOffset + given - 1, of: buffers, until: outputFrames &+ UInt64(given))
    } else if !isSounding || lastFrameEnd != outputFrames {
      return
    }
    tail.jump(to: 1)
    tail.go(to: 0, frames: fadeFrames)
    let count = buffers.count
    for channel in 0..<count { unsafe lastFrame[count + channel] = lastFrame[channel] }
  }

  /// Adds the decay to a range of the buffers: to silence, or to the sound that follows.
  @_noLocks @inline(never)
  mutating func addTail(
    from start: Int, to end: Int,
    in buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  ) {
    let count = end - start < tail.framesLeft ? end - start : tail.framesLeft
    if count <= 0 { return }
    for channel in 0..<buffers.count {
      let value = unsafe lastFrame[buffers.count + channel]
      let samples = unsafe buffers[channel] + start
      var tail = tail
      for i in 0..<count {
        tail.advance()
        unsafe samples[i] += value * tail.value
      }
    }
    tail.advance(by: count)
  }
}
