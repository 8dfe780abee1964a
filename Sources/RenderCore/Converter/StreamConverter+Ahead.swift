// SPDX-License-Identifier: MIT

/// Work that is done before it is wanted.
extension StreamConverter {
  /// What was decoded and resampled since this was last asked for.
  @_noLocks
  mutating func takePieces() -> WorkPieces {
    var pieces = WorkPieces(decodes: decodedPackets)
    if decodedPackets > 0 { takeRate() }
    decodedPackets = 0
    if let resampler = unsafe resampler {
      (pieces.blocks, pieces.playedBlocks) = unsafe resampler.pointee.takeBlockCounts()
    }
    if pieces.total > 0 { isAhead = false }
    return pieces
  }

  /// Takes those that follow to be as long as the last packet and the last block.
  @_noLocks
  private mutating func takeRate() {
    if packetFrames > 0 {
      workRate.decodes = Double(inputRate) / Double(packetFrames * outputRate)
    }
    if let resampler = unsafe resampler, unsafe resampler.pointee.blockFrames > 0 {
      unsafe workRate.blocks = 1 / Double(resampler.pointee.blockFrames)
    }
  }

  /// Resampled frames that have not been given yet.
  var framesAhead: Int {
    @_noLocks get {
      guard let resampler = unsafe resampler else { return 0 }
      return unsafe resampler.pointee.framesAhead
    }
  }

  /// Does a piece of work that coming cycles will want: decodes the packet that the resampler's next block
  /// needs, or resamples that block when it has its packet.
  ///
  /// Real-time: wait-free. The work is one packet's decode, or one block, or both.
  ///
  /// - Parameters:
  ///   - decodes: whether a packet may be decoded.
  ///   - resamples: whether a block may be made while there is output. It is made again when the output's rate
  ///     changes.
  ///   - both: whether the block may follow the packet at once, which is in the cache then.
  /// - Returns: what ``fill(_:offset:frameCount:from:)`` would say of the packet, and the frames that are
  ///   given before its own; nil where none was decoded.
  @_noLocks
  mutating func workAhead(
    from source: inout RingPacketSource, decodes: Bool, resamples: Bool, both: Bool
  ) -> (status: ConversionStatus, framesBefore: Int64)? {
    guard let resampler = unsafe resampler, !hasEnded, unsafe !resampler.pointee.isBypassed else {
      isAhead = true
      return nil
    }
    if unsafe !resampler.pointee.holdsBack(decodedFrames) {
      isAhead = true
      guard resamples, unsafe resampler.pointee.hasRoomAhead else { return nil }
      // Else it was less than a block takes.
      if makeBlockAhead() { return nil }
    }
    guard decodes, source.hasNextPacket() else { return nil }
    // The decoder's room is needed.
    while decodedFrames > 0 { putAway() }
    let status = decodeNext(from: &source)
    // The block takes some of the packet's frames in.
    let framesBefore = pendingOutputFrames
    if both, resamples, decodedFrames > 0, unsafe resampler.pointee.hasRoomAhead {
      _ = makeBlockAhead()
    }
    return (status, framesBefore)
  }

  /// Resamples a block, of as many of the decoded frames as it takes.
  ///
  /// - Returns: whether they were enough.
  @_noLocks
  private mutating func makeBlockAhead() -> Bool {
    guard let resampler = unsafe resampler else { return false }
    while unsafe !resampler.pointee.makeAhead() {
      if decodedFrames == 0 { return false }
      putAway()
    }
    return true
  }

  /// Has the resampler take some of the decoded frames.
  @_noLocks
  private mutating func putAway() {
    guard let resampler = unsafe resampler, let decoded = unsafe decoded else { return }
    consume(unsafe resampler.pointee.take(decoded, inputCount: decodedFrames))
  }
}
