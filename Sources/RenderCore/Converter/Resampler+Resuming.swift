// SPDX-License-Identifier: MIT

/// Going on at another output rate with the frame that follows the last one given.
extension Resampler {
  /// Places that are tried for the first repeated frame; between usual rates one of them is on both grids.
  private static var maximumStarts: Int { @_noLocks get { 1024 } }
  /// Where the ratio stops counting for the frames that are kept: 256 KiB a channel.
  private static var keptRatio: Int { 32 }

  /// Input frames that are kept: those whose output may not have been given when the rate changes, two blocks'
  /// worth and what makes no block yet, and what the next resampler's filter needs before them.
  static func repeatableFrames(_ inputRate: Int, _ outputRate: Int, idle: Int) -> Int {
    let ratio = (inputRate + outputRate - 1) / outputRate
    return 2 * idle + 2048 * min(ratio, keptRatio) + 2 * maximumFramesPerCall + maximumStarts
  }

  /// What had been taken in and not given when the rate changed.
  struct Rest {
    /// Frames from the first that was not given whole.
    var frames: Int
    /// How far that lies before the frame that comes next, in input frames: below 1.
    var fraction: Double
    /// Frames that are not kept any more, and would belong before these.
    var lost: Int
  }

  /// What has been taken in and not given.
  var rest: Rest {
    @_noLocks get {
      let place = outputFrames.multipliedReportingOverflow(by: Int64(inputRate)).partialValue
      let first = place / Int64(outputRate)
      let fraction = Double(place % Int64(outputRate)) / Double(outputRate)
      let frames = Int(max(0, inputFrames - first))
      // A place between the last frame and the next one.
      if inputFrames < first { return Rest(frames: 0, fraction: 0, lost: 0) }
      if frames > input.capacity {
        return Rest(frames: input.capacity, fraction: 0, lost: frames - input.capacity)
      }
      return Rest(frames: frames, fraction: fraction, lost: 0)
    }
  }

  /// Goes on where another resampler of the same input has stopped: the first frame is the first one of this
  /// output's at or after the place that the other one's next frame would have had.
  ///
  /// Real-time: wait-free. The other one is of no use after that.
  ///
  /// - Returns: how long the sound between the two is: less than one frame, or more where the other one had
  ///   taken in more than it keeps.
  @_noLocks
  mutating func resume(after old: UnsafeMutablePointer<Resampler>) -> UInt64 {
    let rest = unsafe old.pointee.rest
    // The filter needs what is before the place, as far as it is kept.
    let (available, most) = unsafe (
      old.pointee.input.capacity - rest.frames, Int(idleInputFrames)
    )
    let least = min(most, available)
    var best = (before: least, dropped: 0, miss: Double.infinity)
    for before in least...min(available, least + Self.maximumStarts - 1) {
      let place = (Double(before) + rest.fraction) * Double(outputRate) / Double(inputRate)
      // What rounding made of a whole number is one.
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

  /// Goes on with the input as it is, from the first frame at or after the place of the one that would be next.
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
