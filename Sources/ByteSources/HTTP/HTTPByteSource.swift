// SPDX-License-Identifier: MIT

import AudioModel
import CCurl

/// A body fetched over HTTP or HTTPS. The transfer runs only inside `read`, and TCP's window holds back a
/// server that sends faster than the reader reads. `read` also restores a lost connection, once all bytes that
/// came over it were read.
final class HTTPByteSource: ByteSource, @unchecked Sendable {
  /// The action of the next read.
  enum State {
    /// Reads from the transfer.
    case transferring
    /// Reconnects, not before this time.
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
  var clock = StallClock()

  /// The head of the answer that is read: the first one, or for live sound the last one. nil until a body has
  /// begun or its connection was lost.
  var answer: HTTPResponse?
  /// The way in which the body continues after a loss, by the first answer: a station's later answers may look
  /// like a song's.
  var continuation: HTTPResponse.Continuation?
  /// Whether a part was requested because the server refused the whole body.
  var hasAskedForPart = false
  /// The server's treatment of requests for parts so far.
  var reach = ByteSourceInformation.Reach.untried
  var reconnection = Reconnection()
  /// The reason of the loss, until bytes come again.
  var loss: ByteSourceError.Reason?
  /// Whether the transfer's first bytes were examined.
  var hasBegunBody = false
  /// Whether no more of the first bytes came in time.
  var hasWaitedForMore = false
  /// Bytes of the transfer to discard before the next byte is delivered.
  var bytesToPass: UInt64 = 0
  /// Whether the transfer's bytes do not continue those that were read.
  var isDiscontinuous = false
  var demuxer: ICYDemuxer?
  var metadata = StreamMetadataQueue()
  /// Bytes delivered to the reader.
  var deliveredBytes: UInt64 = 0
  /// Discontinuities reported to the reader.
  var discontinuities = 0
  /// Connections that were lost after their body had begun.
  var lostConnections = 0
  /// Bytes received over earlier transfers.
  var earlierBytes: UInt64 = 0
  /// The URL of the last transfer, once it has ended.
  var endPlace: WebURL?

  /// Creates a source whose first read sends the request.
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
        byteCount: isAnswered && (continuation ?? response.continuation) != .live
          ? response.bodyLength : nil,
        contentType: contentType, isRepositionable: isAnswered && response.isRepositionable,
        fileTypeHint: AudioFileTypeID(hintedByPath: url.path, contentType: contentType),
        station: isAnswered ? response.station : nil)
      information.reach = !isAnswered || response.acceptsByteRanges ? .direct : reach
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
      if passes(to: byteOffset) { return }
      answer = first
      continuation = continuation ?? first.continuation
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

  /// Ends the transfer and begins another one: for the rest from a byte on, or for the whole body.
  func request(range: RangeRequest?) {
    // Closes the connection, too: bytes that the server still sends on it are not wanted.
    transfer.close()
    earlierBytes += transfer.bodyBytes
    clock = StallClock()
    hasBegunBody = false
    bytesToPass = 0
    demuxer = nil
    // The original URL, not a redirect's target: that may be valid for one request only.
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

  /// Waits for something to do; returns whether a wake ended the wait.
  private func wait(nanoseconds: UInt64) -> Bool {
    guard case .transferring = state else { return wakePipe.wait(nanoseconds: nanoseconds) }
    return transfer.wait(nanoseconds: nanoseconds)
  }

  /// The longest standstill of a redirect's body before the rest of it is skipped.
  private static var redirectPatience: UInt64 { 500_000_000 }

  /// Returns the time left until the current wait times out; nil after the time-out, which drops the
  /// connection.
  private func nanosecondsUntilTimeout() -> UInt64? {
    let silence = clock.foundNothing(progress: transfer.progress, now: monotonicNanoseconds())
    let (wait, limit): (ByteSourceError.Wait, UInt64)
    switch transfer.phase {
    case .connecting: return .max  // libcurl's own clock, which knows of further addresses to try.
    case .awaitingAnswer: (wait, limit) = (.answer, configuration.answerTimeoutNanoseconds)
    case .answering where !transfer.response.isComplete:
      (wait, limit) = (.answer, configuration.stallTimeoutNanoseconds)
    case .answering where transfer.response.isRedirect:
      (wait, limit) = (.answer, min(configuration.stallTimeoutNanoseconds, Self.redirectPatience))
    case .answering:
      wait = .nextByte(receivedBytes: transfer.receivedBytes)
      limit =
        transfer.bodyBytes > 0
        ? configuration.stallTimeoutNanoseconds
        // Stations answer at once, and fill a buffer before they send its first byte.
        : max(configuration.stallTimeoutNanoseconds, configuration.answerTimeoutNanoseconds)
    }
    guard silence >= limit else { return limit - silence }
    if transfer.response.isRedirect {
      transfer.leaveRedirect()
      return 0
    }
    // Received bytes are delivered before any failure, even if they are too few to examine.
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
