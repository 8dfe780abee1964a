// SPDX-License-Identifier: MIT

/// Continuing at another output rate with the frame that follows the last output frame.
extension Resampler {
  /// Start offsets tried for the first repeated frame; between usual rates one of them is on both grids.
  private static var maximumStarts: Int { @_noLocks get { 1024 } }
  /// The limit of the ratio in the number of kept frames: 256 KiB a channel.
  private static var keptRatio: Int { 32 }

  /// Returns the number of input frames to keep: those whose output may be pending when the rate changes (two blocks'
  /// worth and an incomplete block), and those before them that the next resampler's filter needs.
  static func repeatableFrames(_ inputRate: Int, _ outputRate: Int, idle: Int) -> Int {
    let ratio = (inputRate + outputRate - 1) / outputRate
    return 2 * idle + 2048 * min(ratio, keptRatio) + 2 * maximumFramesPerCall + maximumStarts
  }

  /// The input without output at a change of the rate.
  struct Rest {
    /// Frames from the first one whose output was not complete.
    var frames: Int
    /// The distance of that frame before the position of the next output frame, in input frames: below 1.
    var fraction: Double
    /// Frames before these that are no longer kept.
    var lost: Int
  }

  /// The input whose output has not been returned.
  var rest: Rest {
    @_noLocks get {
      let place = outputFrames.multipliedReportingOverflow(by: Int64(inputRate)).partialValue
      let first = place / Int64(outputRate)
      let fraction = Double(place % Int64(outputRate)) / Double(outputRate)
      let frames = Int(max(0, inputFrames - first))
      // The position is between the last frame and the next one.
      if inputFrames < first { return Rest(frames: 0, fraction: 0, lost: 0) }
      if frames > input.capacity {
        return Rest(frames: input.capacity, fraction: 0, lost: frames - input.capacity)
      }
      return Rest(frames: frames, fraction: fraction, lost: 0)
    }
  }

  /// Continues where another resampler of the same input has stopped. The first frame is this output's first one at or
  /// after the position of the other one's next frame.
  ///
  /// Real-time: wait-free. The other one cannot be used after that.
  ///
  /// - Returns: the duration of the sound between the two, in nanoseconds: less than one frame, or more if the other
  ///   one had pending input that it no longer keeps.
  @_noLocks
  mutating func resume(after old: UnsafeMutablePointer<Resampler>) -> UInt64 {
    let rest = unsafe old.pointee.rest
    // The filter needs the frames before the position, as far as they are kept.
    let (available, most) = unsafe (
      old.pointee.input.capacity - rest.frames, Int(idleInputFrames)
    )
    let least = min(most, available)
    var best = (before: least, dropped: 0, miss: Double.infinity)
    for before in least...min(available, least + Self.maximumStarts - 1) {
      let place = (Double(before) + rest.fraction) * Double(outputRate) / Double(inputRate)
      // A value within 1e-6 above a whole number is rounding error, and counts as that number.
      var dropped = Int(place)
      if Double(dropped) < place - 1e-6 { dropped += 1 }
      let miss = max(0, Double(dropped) - place)
      if miss < best.miss { best = (before, dropped, miss) }
      if miss < 1e-6 { break }
    }
    let frames = rest.frames + best.before
    unsafe input.takeLast(frames, of: &old.pointee.input)
    begin(withLast: frames, droppingFirst: best.dropped)
    return Self.nanoseconds(
      best.miss / Double(outputRate) + Double(rest.lost) / Double(inputRate))
  }

  /// Continues with the unchanged input, from the first frame at or after the position of the next output frame.
  ///
  /// Real-time: wait-free.
  ///
  /// - Returns: as ``resume(after:)``.
  @_noLocks
  mutating func bypass() -> UInt64 {
    let rest = rest
    let isBetween = rest.fraction > 1e-9 && rest.frames > 0
    bypass(fromLast: rest.frames - (isBetween ? 1 : 0))
    let missed = (isBetween ? 1 - rest.fraction : 0) + Double(rest.lost)
    return Self.nanoseconds(missed / Double(inputRate))
  }

  @_noLocks
  private static func nanoseconds(_ seconds: Double) -> UInt64 {
    UInt64(max(0, seconds * 1_000_000_000 + 0.5))
  }
}
