// SPDX-License-Identifier: MIT

/// How much is done in a cycle: the mean of the last ones.
struct WorkPace {
  /// In 256ths of a piece.
  private var decodes = 0
  private var blocks = 0

  /// What a cycle may have without being one of the long ones: an eighth more than the mean, so that what has
  /// fallen behind is caught up with.
  var allowance: WorkPieces {
    @_noLocks get {
      WorkPieces(decodes: Self.allowance(decodes), blocks: Self.allowance(blocks))
    }
  }

  /// As ``allowance``, of both kinds together: where there are few, one cycle should not have one of each.
  var totalAllowance: Int { @_noLocks get { Self.allowance(decodes + blocks) } }

  @_noLocks
  private static func allowance(_ mean: Int) -> Int { max(1, (mean + mean / 8 + 255) / 256) }

  /// Takes in what a cycle had.
  @_noLocks
  mutating func add(_ pieces: WorkPieces) {
    decodes += (pieces.decodes * 256 - decodes) / 32
    blocks += (pieces.blocks * 256 - blocks) / 32
  }
}

extension RenderState {
  /// Has the only source decode the packet that its next block will want, in a cycle that had neither: the
  /// longest cycle has one of the two then.
  @_noLocks
  mutating func workAhead(_ unit: UnsafeMutablePointer<SourceUnit>) {
    if unsafe unit.pointee.isAhead { return }
    let packets = unsafe unit.pointee.work.packets
    unsafe unit.pointee.workAhead(decodes: true, resamples: false)
    unsafe work.packets &+= unit.pointee.work.packets &- packets
    _ = unsafe unit.pointee.takePieces()
  }

  /// Does pieces of work that coming cycles will want, where this cycle has had fewer than most: sources that
  /// began together do not decode all of them in one cycle then.
  ///
  /// - Parameters:
  ///   - frameCount: frames of a cycle.
  ///   - pieces: those that this cycle has had.
  @_noLocks
  mutating func workAhead(
    _ plan: UnsafeMutablePointer<RenderPlan>, frameCount: Int, pieces: WorkPieces
  ) {
    let allowance = pace.allowance
    let total = pace.totalAllowance
    var done = pieces
    // Who will want it soonest comes first.
    var soonest = 0
    var latest = frameCount
    while done.total < total {
      for index in unsafe 0..<plan.pointee.count {
        let unit = unsafe plan.pointee.units[index]
        let frames = unsafe unit.pointee.framesAhead
        if frames < soonest || frames >= latest { continue }
        let packets = unsafe unit.pointee.work.packets
        unsafe unit.pointee.workAhead(
          decodes: done.decodes < allowance.decodes, resamples: done.blocks < allowance.blocks)
        unsafe work.packets &+= unit.pointee.work.packets &- packets
        unsafe done.add(unit.pointee.takePieces())
        if done.total >= total { break }
      }
      if latest == .max { break }
      soonest = latest
      latest = latest < 8 * frameCount ? 2 * latest : .max
    }
    pace.add(done)
  }
}
