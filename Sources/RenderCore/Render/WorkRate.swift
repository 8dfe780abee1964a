// SPDX-License-Identifier: MIT

/// The pieces of work that playing takes on average, whenever they are done: of a frame, or of a cycle.
struct WorkRate {
  /// Packets decoded.
  var decodes: Double
  /// Blocks resampled.
  var blocks: Double

  // Not the one that the compiler makes: other files cannot see that it takes no lock.
  @_noLocks
  init(decodes: Double = 0, blocks: Double = 0) {
    self.decodes = decodes
    self.blocks = blocks
  }

  /// Adds what so many frames take.
  @_noLocks
  mutating func add(_ rate: WorkRate, frameCount: Int) {
    decodes += rate.decodes * Double(frameCount)
    blocks += rate.blocks * Double(frameCount)
  }

  /// What a cycle may have without being one of the long ones: a sixteenth more than the mean, so that what has
  /// fallen behind is caught up with.
  var allowance: WorkPieces {
    @_noLocks get {
      WorkPieces(decodes: Self.allowance(decodes), blocks: Self.allowance(blocks))
    }
  }

  /// As ``allowance``, of both kinds together: where there are few, one cycle should not have one of each.
  var totalAllowance: Int { @_noLocks get { Self.allowance(decodes + blocks) } }

  @_noLocks
  private static func allowance(_ mean: Double) -> Int {
    1 + Int(mean * (17 / 16))
  }
}
