// SPDX-License-Identifier: MIT

/// Work that is done before its result is needed.
extension StreamConverter {
  /// Returns the packets decoded and the blocks resampled since the last call.
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

  /// Estimates future packets and blocks to be as long as the last ones.
  @_noLocks
  private mutating func takeRate() {
    if packetFrames > 0 {
      workRate.decodes = Double(inputRate) / Double(packetFrames * outputRate)
    }
    if let resampler = unsafe resampler, unsafe resampler.pointee.blockFrames > 0 {
      unsafe workRate.blocks = 1 / Double(resampler.pointee.blockFrames)
    }
  }

  /// Resampled frames that have not been returned yet.
  var framesAhead: Int {
    @_noLocks get {
      guard let resampler = unsafe resampler else { return 0 }
      return unsafe resampler.pointee.framesAhead
    }
  }

  /// Does a piece of work that coming cycles will need: decodes the packet for the resampler's next block, or resamples
  /// that block if its packet is decoded.
  ///
  /// Real-time: wait-free. The work is one packet's decode, or one block, or both.
  ///
  /// - Parameters:
  ///   - decodes: whether a packet may be decoded.
  ///   - resamples: whether a block may be made while there is output. Such a block is made again if the output's rate
  ///     changes.
  ///   - both: whether the block may follow the packet at once, while the packet is in the cache.
  /// - Returns: the packet's status, as for ``fill(_:offset:frameCount:from:)``, and the frames that are returned
  ///   before its own; nil if no packet was decoded.
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
      // Otherwise there was too little input for a block.
      if makeBlockAhead() { return nil }
    }
    guard decodes, source.hasNextPacket() else { return nil }
    // The next packet needs the decoder's buffer.
    while decodedFrames > 0 { putAway() }
    let status = decodeNext(from: &source)
    // Read before the block, which consumes some of the packet's frames.
    let framesBefore = pendingOutputFrames
    if both, resamples, decodedFrames > 0, unsafe resampler.pointee.hasRoomAhead {
      _ = makeBlockAhead()
    }
    return (status, framesBefore)
  }

  /// Resamples a block, from as many of the decoded frames as it needs.
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

  /// Passes some of the decoded frames to the resampler.
  @_noLocks
  private mutating func putAway() {
    guard let resampler = unsafe resampler, let decoded = unsafe decoded else { return }
    consume(unsafe resampler.pointee.take(decoded, inputCount: decodedFrames))
  }
}
