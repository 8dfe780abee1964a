// SPDX-License-Identifier: MIT

// The body's bytes on their way to the reader.
extension HTTPByteSource {
  /// Returns the number of available bytes from which on the connection is not read.
  func wantedBytes(_ readerBytes: Int) -> Int {
    isProbing ? max(readerBytes, LiveStreamingProbe.byteCount) : readerBytes
  }

  /// Whether the first bytes of the body must be examined and have not been.
  private var isProbing: Bool {
    !hasBegunBody && deliveredBytes == 0 && transfer.response.isComplete
      && LiveStreamingProbe.isDue(contentType: transfer.response.contentType, path: url.path)
  }

  /// Delivers available bytes to the reader; returns nil if there are none.
  func take(into buffer: UnsafeMutableRawBufferPointer) -> ByteSourceRead? {
    while transfer.availableBytes > 0 {
      if !hasBegunBody, !beginBody() { return nil }
      if isDiscontinuous {
        isDiscontinuous = false
        discontinuities += 1
        return .discontinuity
      }
      if bytesToPass > 0 {
        let piece = Int(min(UInt64(buffer.count), bytesToPass))
        let passed = unsafe transfer.take(
          into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<piece]))
        bytesToPass -= UInt64(passed)
        clock.reset()
        continue
      }
      var count = unsafe transfer.take(into: buffer)
      if demuxer != nil {
        var bytes = unsafe buffer[..<count].bindMemory(to: UInt8.self).mutableSpan
        count = demuxer!.removeMetadata(from: &bytes) { soundBytes, block in
          metadata.append(
            ICYMetadataBlock(block), byteOffset: deliveredBytes + UInt64(soundBytes))
        }
      }
      clock.reset()
      guard count > 0 else { continue }
      deliveredBytes += UInt64(count)
      return .bytes(count)
    }
    return nil
  }

  /// Examines a body whose first bytes are available; returns false if they are not to be read, or not yet.
  func beginBody() -> Bool {
    let response = transfer.response
    if isProbing {
      let isEnough =
        transfer.availableBytes >= LiveStreamingProbe.byteCount || transfer.outcome != nil
        || hasWaitedForMore
      guard isEnough else { return false }
      let isPlaylist = transfer.withFirstBytes(LiveStreamingProbe.byteCount) {
        LiveStreamingProbe.isLiveStreamingPlaylist($0)
      }
      if isPlaylist {
        lose(.liveStreamingPlaylist, at: place)
        return false
      }
    }
    if let range = transfer.range, answer != nil {
      if range.byteOffset > 0 { reach = response.status == 206 ? .direct : .byReading }
    } else {
      if answer != nil, continuation == .live, let type = foreignType(of: response) {
        lose(.noSound(contentType: type), at: place, receivedBytes: 0)
        return false
      }
      answer = response
      continuation = continuation ?? response.continuation
      if response.status == 206 { reach = .direct }
      demuxer = response.metadataInterval.map { ICYDemuxer(interval: $0) }
    }
    hasBegunBody = true
    loss = nil
    return true
  }

  /// Returns the content type of an answer that is not sound, where a station's sound was expected: the page of
  /// a proxy or a portal. nil if it may be sound, even of another type than before.
  private func foreignType(of response: HTTPResponse) -> String?? {
    let isPage = transfer.withFirstBytes(LiveStreamingProbe.byteCount) { MarkupProbe.isPage($0) }
    let isAllowed =
      response.mayBeSound || response.station != nil || response.mediaType == answer?.mediaType
    return isPage || !isAllowed ? .some(response.contentType) : nil
  }

  /// Discards the current answer up to a byte, if another request would send all bytes before it again; returns
  /// false otherwise.
  func passes(to byteOffset: UInt64) -> Bool {
    guard case .transferring = state, reach == .byReading, hasBegunBody,
      answer?.acceptsByteRanges == false
    else { return false }
    let next = transfer.bodyOffset - UInt64(transfer.availableBytes) + bytesToPass
    guard byteOffset >= next, byteOffset < transfer.expectedBytes ?? 0 else { return false }
    bytesToPass += byteOffset - next
    return true
  }
}
