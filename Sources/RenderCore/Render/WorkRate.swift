// SPDX-License-Identifier: MIT

/// The average number of pieces of work, whenever they are done: for a frame, or for a cycle.
struct WorkRate {
  /// Packets decoded.
  var decodes: Double
  /// Blocks resampled.
  var blocks: Double

  // Not the compiler's initialiser: other files cannot see that it takes no lock.
  @_noLocks
  init(decodes: Double = 0, blocks: Double = 0) {
    self.decodes = decodes
    self.blocks = blocks
  }

  /// Adds the work of `frameCount` frames.
  @_noLocks
  mutating func add(_ rate: WorkRate, frameCount: Int) {
    decodes += rate.decodes * Double(frameCount)
    blocks += rate.blocks * Double(frameCount)
  }

  /// The most work of a cycle that does not count as long: a sixteenth more than the mean, so that work that is behind
  /// catches up.
  var allowance: WorkPieces {
    @_noLocks get {
      WorkPieces(decodes: Self.allowance(decodes), blocks: Self.allowance(blocks))
    }
  }

  /// The ``allowance`` of both kinds together: if there are few pieces, one cycle should not have one of each.
  var totalAllowance: Int { @_noLocks get { Self.allowance(decodes + blocks) } }

  @_noLocks
  private static func allowance(_ mean: Double) -> Int {
    1 + Int(mean * (17 / 16))
  }
}
