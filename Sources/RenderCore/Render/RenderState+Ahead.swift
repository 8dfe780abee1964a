// SPDX-License-Identifier: MIT

/// The mean work of a cycle, and its unevenness.
struct WorkPace {
  /// The most blocks that a recent cycle played to their end; it falls by half in 180 cycles.
  private var mostPlayed = 0.0

  /// Adds the work of a cycle.
  ///
  /// - Returns: whether the sources need their work in the same cycles: the busiest cycle then needs more than 1.5
  ///   times the mean. Many sources that began at different times do not, and work done ahead is no longer in the cache
  ///   when it is needed.
  @_noLocks
  mutating func isUneven(after pieces: WorkPieces, mean: WorkRate) -> Bool {
    mostPlayed = max(Double(pieces.playedBlocks), mostPlayed * 255 / 256)
    return mostPlayed > 1.5 * mean.blocks
  }
}

extension RenderState {
  /// Makes the only source decode the packet for its next block, in a cycle that had neither: the longest cycle then
  /// has one of the two.
  @_noLocks @inline(never)
  private mutating func workAhead(_ unit: UnsafeMutablePointer<SourceUnit>) {
    if unsafe unit.pointee.isAhead { return }
    let packets = unsafe unit.pointee.work.packets
    unsafe unit.pointee.workAhead(decodes: true, resamples: false, both: false)
    unsafe work.packets &+= unit.pointee.work.packets &- packets
    _ = unsafe unit.pointee.takePieces()
  }

  /// Does work that coming cycles will need, if this cycle has had less than most: sources that began together then do
  /// not all decode in one cycle.
  ///
  /// - Parameters:
  ///   - frameCount: frames of a cycle.
  ///   - isSteady: whether the only source had a steady cycle.
  ///   - pieces: the work of this cycle.
  @_noLocks
  mutating func workAhead(
    _ plan: UnsafeMutablePointer<RenderPlan>, frameCount: Int, isSteady: Bool, pieces: WorkPieces
  ) {
    let units = unsafe plan.pointee.units
    if units.count == 1 {
      if !isSteady, pieces.total == 0 { unsafe workAhead(units[0]) }
    } else {
      unsafe workAhead(units, frameCount: frameCount, pieces: pieces)
    }
  }

  @_noLocks @inline(never)
  private mutating func workAhead(
    _ units: UnsafeMutableBufferPointer<UnsafeMutablePointer<SourceUnit>>, frameCount: Int,
    pieces: WorkPieces
  ) {
    var mean = WorkRate()
    for index in 0..<units.count {
      unsafe mean.add(units[index].pointee.workRate, frameCount: frameCount)
    }
    guard pace.isUneven(after: pieces, mean: mean) else { return }
    let allowance = mean.allowance
    let total = mean.totalAllowance
    var done = pieces
    // The sources that need their work soonest come first.
    var soonest = 0
    var latest = frameCount
    while done.total < total {
      for index in 0..<units.count {
        let unit = unsafe units[index]
        let frames = unsafe unit.pointee.framesAhead
        if frames < soonest || frames >= latest { continue }
        let packets = unsafe unit.pointee.work.packets
        unsafe unit.pointee.workAhead(
          decodes: done.decodes < allowance.decodes, resamples: done.blocks < allowance.blocks,
          both: done.total + 1 < total)
        unsafe work.packets &+= unit.pointee.work.packets &- packets
        unsafe done.add(unit.pointee.takePieces())
        if done.total >= total { break }
      }
      if latest == .max { break }
      soonest = latest
      latest = latest < 8 * frameCount ? 2 * latest : .max
    }
  }
}
