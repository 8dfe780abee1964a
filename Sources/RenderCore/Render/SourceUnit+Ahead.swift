// SPDX-License-Identifier: MIT

/// The pieces of work that a source does in its cycle, and ahead of it.
extension SourceUnit {
  /// Returns the pieces done since the last call.
  @_noLocks
  mutating func takePieces() -> WorkPieces {
    guard let converter = unsafe converter else { return WorkPieces() }
    framesAhead = unsafe converter.pointee.framesAhead
    return unsafe converter.pointee.takePieces()
  }

  /// The work for one frame of the source.
  var workRate: WorkRate {
    @_noLocks get {
      guard isFlowing, !isDraining, let converter = unsafe converter else { return WorkRate() }
      return unsafe converter.pointee.workRate
    }
  }

  /// Whether the source has no packet to decode ahead until its next piece of work is done.
  var isAhead: Bool {
    @_noLocks get {
      guard let converter = unsafe converter else { return true }
      return unsafe converter.pointee.isAhead
    }
  }

  /// Does a piece of work that coming cycles will need, if it is of an allowed kind; one of each if both may be done at
  /// once.
  @_noLocks
  mutating func workAhead(decodes: Bool, resamples: Bool, both: Bool) {
    guard isFlowing, !isDraining, let converter = unsafe converter,
      let packet = unsafe converter.pointee.workAhead(
        from: &source, decodes: decodes, resamples: resamples, both: both)
    else { return }
    countPackets()
    unsafe tell(packet.status, of: converter, at: outputFrames &+ UInt64(packet.framesBefore))
  }
}
