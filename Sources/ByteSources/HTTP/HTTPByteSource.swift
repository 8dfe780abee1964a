// SPDX-License-Identifier: MIT

import AudioModel
import CCurl

/// A body fetched over HTTP or HTTPS. The transfer runs inside `read`; between reads nothing runs,
/// and a server that sends faster than it is read waits on TCP's window. A connection that is lost
/// is made again inside `read`, too, once all that it brought was read.
final class HTTPByteSource: ByteSource, @unchecked Sendable {
  /// What the next read does.
  enum State {
    /// It reads from the transfer.
    case transferring
    /// It makes the connection again, not before this time.
    case pausing(until: UInt64)
    /// Everything was read, up to the last byte.
    case ended
    case failed(ByteSourceError)
    case closed
  }

  let url: WebURL
  let configuration: ByteSourceConfiguration
  let wakePipe: WakePipe
  private let exclusive = ExclusiveUse()
  var transfer: CurlTransfer
  var state = State.transferring
  private var clock = StallClock()

  /// The head of the answer that is read: the first one, or of live sound the last one. Nil until a
  /// body has begun or its connection was lost.
  var answer: HTTPResponse?
  var reconnection = Reconnection()
  /// Why the connection was lost, until there are bytes again.
  var loss: ByteSourceError.Reason?
  /// The transfer's first bytes were looked at.
  private var hasBegunBody = false
  /// No more of the first bytes came in time.
  private var hasWaitedForMore = false
  /// The transfer's bytes do not continue those that were read.
  var isDiscontinuous = false
  private var demuxer: ICYDemuxer?
  private var metadata = StreamMetadataQueue()
  /// Bytes given to the reader.
  private(set) var deliveredBytes: UInt64 = 0
  /// Bytes received over earlier transfers.
  var earlierBytes: UInt64 = 0
  /// Where the last transfer went, once it has ended.
  var endPlace: WebURL?

  /// A source whose first read sends the request.
  init(_ url: WebURL, _ configuration: ByteSourceConfiguration) throws(ByteSourceError) {
    guard let wakePipe = WakePipe(),
      let transfer = CurlTransfer(url, configuration, wakePipe: wakePipe)
    else { throw Self.noResources(url) }
    self.url = url
    self.configuration = configuration
    self.transfer = transfer
    self.wakePipe = wakePipe
  }

  static func noResources(_ url: WebURL) -> ByteSourceError {
    ByteSourceError(
      .transfer(
        code: Int32(bitPattern: CURLE_FAILED_INIT.rawValue),
        explanation: "no memory or file descriptors left"), at: url.text)
  }

  var information: ByteSourceInformation {
    exclusive {
      let response = answer ?? transfer.response
      let isAnswered = response.isComplete && response.isSuccess
      let contentType = isAnswered ? response.contentType : nil
      var information = ByteSourceInformation(
        name: url.text,
        byteCount: isAnswered && response.metadataInterval == nil ? response.contentLength : nil,
        contentType: contentType, isRepositionable: isAnswered && response.isRepositionable,
        fileTypeHint: AudioFileTypeID(hintedByPath: url.path, contentType: contentType),
        station: isAnswered ? response.station : nil)
      let answering = endPlace ?? place
      if isAnswered, answering.text != url.text { information.redirectedTo = answering.text }
      return information
    }
  }

  var status: ByteSourceStatus {
    exclusive { presentStatus }
  }

  func read(
    into buffer: UnsafeMutableRawBufferPointer, timeoutNanoseconds: UInt64
  ) throws(ByteSourceError) -> ByteSourceRead {
    precondition(buffer.count > 0, "a read needs room for a byte")
    return try exclusive { () throws(ByteSourceError) in
      let start = monotonicNanoseconds()
      while true {
        let untilNext: UInt64
        switch state {
        case .ended, .closed: return .end
        case .failed(let error): throw error
        case .pausing(let end):
          let now = monotonicNanoseconds()
          guard now < end else {
            reconnect()
            continue
          }
          untilNext = end - now
        case .transferring:
          if transfer.availableBytes < wantedBytes(buffer.count) { transfer.perform() }
          if let read = unsafe take(into: buffer) { return read }
          guard case .transferring = state else { continue }
          if let outcome = transfer.outcome {
            finish(outcome)
            continue
          }
          guard let remaining = nanosecondsUntilTimeout() else { continue }
          untilNext = remaining
        }
        let elapsed = monotonicNanoseconds() - start
        guard elapsed < timeoutNanoseconds else { return .wait }
        if wait(nanoseconds: min(timeoutNanoseconds - elapsed, untilNext)) { return .wait }
      }
    }
  }

  func reposition(to byteOffset: UInt64) throws(ByteSourceError) {
    try exclusive { () throws(ByteSourceError) in
      switch state {
      case .closed: return
      case .failed(let error): throw error
      case .transferring, .pausing, .ended: break
      }
      let first = answer ?? transfer.response
      guard first.isComplete, first.isSuccess, first.isRepositionable else {
        throw ByteSourceError(.notRepositionable, at: url.text)
      }
      answer = first
      reconnection.forgetLoss()
      loss = nil
      request(range: RangeRequest(byteOffset: byteOffset, first: first))
      if case .failed(let error) = state { throw error }
    }
  }

  func takeStreamMetadata() -> [StreamMetadata] {
    exclusive { metadata.take() }
  }

  func wake() {
    wakePipe.wake()
  }

  func close() {
    exclusive {
      state = .closed
      transfer.close()
    }
  }

  /// Ends the transfer and begins another one: for the rest from a byte on, or for the whole.
  func request(range: RangeRequest?) {
    // The connection goes with it: what the server still sends on it is not wanted.
    transfer.close()
    earlierBytes += transfer.bodyBytes
    clock = StallClock()
    hasBegunBody = false
    demuxer = nil
    // The URL that was given, not the one that redirects led to: that may hold for one request only.
    guard
      let next = CurlTransfer(
        url, configuration, range: range, startOffset: transfer.receivedBytes, wakePipe: wakePipe)
    else {
      state = .failed(Self.noResources(url))
      return
    }
    transfer = next
    state = .transferring
  }

  /// Waits for something to do; whether a wake ended the wait.
  private func wait(nanoseconds: UInt64) -> Bool {
    guard case .transferring = state else { return wakePipe.wait(nanoseconds: nanoseconds) }
    return transfer.wait(nanoseconds: nanoseconds)
  }

  /// Nothing came: how much longer that may go on; nil if it went on for too long.
  private func nanosecondsUntilTimeout() -> UInt64? {
    let silence = clock.foundNothing(progress: transfer.progress, now: monotonicNanoseconds())
    let (wait, limit): (ByteSourceError.Wait, UInt64)
    switch transfer.phase {
    case .connecting: return .max  // libcurl's own clock, which knows of further addresses to try.
    case .awaitingAnswer: (wait, limit) = (.answer, configuration.answerTimeoutNanoseconds)
    case .answering where !transfer.response.isComplete:
      (wait, limit) = (.answer, configuration.stallTimeoutNanoseconds)
    case .answering:
      wait = .nextByte(receivedBytes: transfer.receivedBytes)
      limit = configuration.stallTimeoutNanoseconds
    }
    guard silence >= limit else { return limit - silence }
    // What came is given before any failure, even if it is too little to look at.
    if transfer.availableBytes > 0 {
      hasWaitedForMore = true
      return 0
    }
    let place = place
    lose(
      .timedOut(wait, host: place.host, port: place.port, nanoseconds: limit), at: place)
    return nil
  }
}

// The body's bytes on their way to the reader.
extension HTTPByteSource {
  /// How many bytes have to be there before nothing more is asked of the connection.
  private func wantedBytes(_ readerBytes: Int) -> Int {
    isProbing ? max(readerBytes, LiveStreamingProbe.byteCount) : readerBytes
  }

  /// Whether the first bytes of the body are to be looked at and have not been.
  private var isProbing: Bool {
    !hasBegunBody && deliveredBytes == 0 && transfer.response.isComplete
      && LiveStreamingProbe.isDue(contentType: transfer.response.contentType, path: url.path)
  }

  /// Gives the reader what is there; nil if that is nothing.
  private func take(into buffer: UnsafeMutableRawBufferPointer) -> ByteSourceRead? {
    while transfer.availableBytes > 0 {
      if !hasBegunBody, !beginBody() { return nil }
      if isDiscontinuous {
        isDiscontinuous = false
        return .discontinuity
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

  /// Looks at a body whose first bytes are there; false if they are not to be read, or not yet.
  private func beginBody() -> Bool {
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
    if transfer.range == nil {
      // A station that comes back in another format is not what is being played.
      if let before = answer?.contentType, let now = response.contentType, isDiscontinuous,
        before.lowercased() != now.lowercased()
      {
        lose(.changed, at: place)
        return false
      }
      answer = response
      demuxer = response.metadataInterval.map { ICYDemuxer(interval: $0) }
    }
    hasBegunBody = true
    loss = nil
    return true
  }
}
