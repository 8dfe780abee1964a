// SPDX-License-Identifier: MIT

/// The pieces of a cycle's work. None can be divided, and most cycles of one stream need none.
struct WorkPieces {
  /// Packets decoded.
  var decodes: Int
  /// Blocks resampled.
  var blocks: Int
  /// Blocks that were played to their end: the work that this cycle would have had without work ahead.
  var playedBlocks = 0

  var total: Int { @_noLocks get { decodes + blocks } }

  @_noLocks
  init(decodes: Int = 0, blocks: Int = 0) {
    self.decodes = decodes
    self.blocks = blocks
  }

  @_noLocks
  mutating func add(_ other: WorkPieces) {
    decodes += other.decodes
    blocks += other.blocks
    playedBlocks += other.playedBlocks
  }
}
