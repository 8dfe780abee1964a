// SPDX-License-Identifier: MIT

/// Work that is done before it is wanted.
extension StreamConverter {
  /// What was decoded and resampled since this was last asked for.
  @_noLocks
  mutating func takePieces() -> WorkPieces {
    var pieces = WorkPieces(decodes: decodedPackets)
    decodedPackets = 0
    if let resampler = unsafe resampler {
      pieces.blocks = unsafe resampler.pointee.takeBlockCount()
    }
    if pieces.total > 0 { isAhead = false }
    return pieces
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
  /// Real-time: wait-free. The work is one packet's decode, or one block.
  ///
  /// - Parameters:
  ///   - decodes: whether a packet may be decoded.
  ///   - resamples: whether a block may be made while there is output. It is lost when the output's rate
  ///     changes.
  /// - Returns: what ``fill(_:offset:frameCount:from:)`` would say of the packet; nil where none was decoded.
  @_noLocks
  mutating func workAhead(
    from source: inout RingPacketSource, decodes: Bool, resamples: Bool
  ) -> ConversionStatus? {
    guard let resampler = unsafe resampler, !hasEnded else {
      isAhead = true
      return nil
    }
    if unsafe !resampler.pointee.holdsBack(decodedFrames) {
      isAhead = true
      guard resamples, unsafe resampler.pointee.hasRoomAhead else { return nil }
      var isMade = unsafe resampler.pointee.makeAhead()
      while !isMade, decodedFrames > 0 {
        putAway()
        isMade = unsafe resampler.pointee.makeAhead()
      }
      // Else it was less than a block takes.
      if isMade { return nil }
    }
    guard decodes, source.hasNextPacket() else { return nil }
    // The decoder's room is needed.
    while decodedFrames > 0 { putAway() }
    return decodeNext(from: &source)
  }

  /// Has the resampler take some of the decoded frames.
  @_noLocks
  private mutating func putAway() {
    guard let resampler = unsafe resampler, let decoded = unsafe decoded else { return }
    consume(unsafe resampler.pointee.take(decoded, inputCount: decodedFrames))
  }
}
