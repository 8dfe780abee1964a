// SPDX-License-Identifier: MIT

/// How much work is wanted in a cycle, and how unevenly it comes.
struct WorkPace {
  /// The most blocks of late that a cycle played to their end; it falls by half in 180 cycles.
  private var mostPlayed = 0.0

  /// Takes in what a cycle had.
  ///
  /// - Returns: whether the sources want their work in the same cycles: that with the most wants half as much
  ///   again as the mean. Many that began at different times do not, and what is done ahead is cold when it is
  ///   wanted.
  @_noLocks
  mutating func isUneven(after pieces: WorkPieces, mean: WorkRate) -> Bool {
    mostPlayed = max(Double(pieces.playedBlocks), mostPlayed * 255 / 256)
    return mostPlayed > 1.5 * mean.blocks
  }
}

extension RenderState {
  /// Has the only source decode the packet that its next block will want, in a cycle that had neither: the
  /// longest cycle has one of the two then.
  @_noLocks @inline(never)
  private mutating func workAhead(_ unit: UnsafeMutablePointer<SourceUnit>) {
    if unsafe unit.pointee.isAhead { return }
    let packets = unsafe unit.pointee.work.packets
    unsafe unit.pointee.workAhead(decodes: true, resamples: false, both: false)
    unsafe work.packets &+= unit.pointee.work.packets &- packets
    _ = unsafe unit.pointee.takePieces()
  }

  /// Does pieces of work that coming cycles will want, where this cycle has had fewer than most: sources that
  /// began together do not decode all of them in one cycle then.
  ///
  /// - Parameters:
  ///   - frameCount: frames of a cycle.
  ///   - isSteady: the only source had a steady cycle.
  ///   - pieces: those that this cycle has had.
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
    // Who will want it soonest comes first.
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
