// SPDX-License-Identifier: MIT

import AudioModel
import CCurl

// The consequences of a transfer's end: the body's end, a reconnection, or an error.
extension HTTPByteSource {
  /// Handles the end of a transfer whose bytes were all read.
  func finish(_ outcome: CurlTransfer.Outcome) {
    let place = place
    endPlace = place
    let retryAfter = UInt64(clamping: outcome.retryAfterSeconds)
      .multipliedReportingOverflow(by: 1_000_000_000)
    let pause: UInt64? =
      outcome.retryAfterSeconds > 0 ? (retryAfter.overflow ? .max : retryAfter.partialValue) : nil
    if let scheme = refusedScheme(outcome) {
      transfer.close()
      state = .failed(
        ByteSourceError(
          .unsupportedScheme(scheme.name), at: scheme.location, redirectedFrom: url.text))
    } else if transfer.range?.isEnd(transfer.response) == true {
      transfer.close()
      state = .ended
    } else if let first = answer, let byteOffset = transfer.nextPartOffset {
      // The server sent less than was requested (RFC 9110, section 15.3.7).
      request(range: RangeRequest(byteOffset: byteOffset, first: first, followsPart: true))
    } else if refusesWhole {
      hasAskedForPart = true
      request(range: RangeRequest(byteOffset: 0, first: HTTPResponse()))
    } else if let reason = reason(outcome, at: place) {
      lose(reason, at: place, retryAfterNanoseconds: pause)
    } else {
      transfer.close()
      state = .ended
    }
  }

  /// Returns the failure of a transfer; nil for a complete body.
  private func reason(
    _ outcome: CurlTransfer.Outcome, at place: WebURL
  ) -> ByteSourceError.Reason? {
    let reason = ByteSourceError.Reason(outcome, transfer, at: place, configuration)
    guard reason == nil || reason == .empty,
      (continuation ?? transfer.response.continuation) == .live
    else { return reason }
    // A station's sound has no end: its server has lost the sound, or the connection is lost.
    return .interrupted(receivedBytes: transfer.receivedBytes, expectedBytes: nil)
  }

  /// Whether the first answer rejects a request for the whole body as wrong. Some servers send only parts.
  private var refusesWhole: Bool {
    answer == nil && !hasAskedForPart && transfer.range == nil && transfer.response.isComplete
      && [400, 416].contains(transfer.response.status)
  }

  /// Drops the connection; the source fails unless the connection may be made again.
  func lose(
    _ reason: ByteSourceError.Reason, at place: WebURL, retryAfterNanoseconds: UInt64? = nil,
    receivedBytes: UInt64? = nil
  ) {
    endPlace = place
    let response = transfer.response
    if answer == nil, response.isComplete, response.isSuccess, transfer.objection == nil {
      answer = response
      continuation = response.continuation
    }
    if hasBegunBody { lostConnections += 1 }
    transfer.close()
    let decision =
      continuation == HTTPResponse.Continuation.none
      ? .giveUp
      : reconnection.decide(
        on: Reconnection.Loss(
          reason: reason, hasBegun: answer != nil, isLive: continuation == .live,
          receivedBytes: receivedBytes ?? transfer.partBytes,
          retryAfterNanoseconds: retryAfterNanoseconds,
          time: monotonicNanoseconds()),
        configuration)
    switch decision {
    case .giveUp:
      var error = ByteSourceError(
        reason, at: place.text, redirectedFrom: place.text == url.text ? nil : url.text)
      error.failedReconnections = reconnection.attempt
      state = .failed(error)
    case .reconnect(let nanoseconds):
      loss = reason
      let (end, overflow) = monotonicNanoseconds().addingReportingOverflow(nanoseconds)
      state = .pausing(until: overflow ? .max : end)
    }
  }

  /// Reconnects: requests the rest, or the sound of the moment.
  func reconnect() {
    guard let answer, continuation == .rest else {
      isDiscontinuous = deliveredBytes > 0
      request(range: nil)
      return
    }
    request(
      range: RangeRequest(
        byteOffset: transfer.bodyOffset, first: answer, isResumption: true,
        repeatedByteLimit: configuration.repeatedByteLimit))
  }

  /// The source's activity.
  var presentStatus: ByteSourceStatus {
    let state: ByteSourceStatus.State =
      switch self.state {
      case .ended, .closed: .idle
      case .failed: .failed
      case .pausing: .awaitingReconnection
      case .transferring where transfer.outcome != nil: .receiving
      case .transferring where transfer.isPaused: .paused
      case .transferring:
        switch transfer.phase {
        case .connecting: transfer.hasBegun ? .connecting : .idle
        case .awaitingAnswer: .awaitingAnswer
        case .answering: .receiving
        }
      }
    return ByteSourceStatus(
      state: state, receivedByteCount: earlierBytes + transfer.bodyBytes,
      bufferedByteCount: transfer.availableBytes,
      reconnectionAttempt: loss == nil ? 0 : reconnection.attempt, lossCause: loss,
      reconnectionCount: reconnection.madeAttempts, lostConnectionCount: lostConnections,
      discontinuityCount: discontinuities)
  }

  /// The URL of the current request, after redirects.
  var place: WebURL {
    transfer.url
  }

  /// Returns the scheme of a redirect's target, if libcurl failed because of it.
  private func refusedScheme(
    _ outcome: CurlTransfer.Outcome
  ) -> (name: String, location: String)? {
    guard outcome.code == CURLE_UNSUPPORTED_PROTOCOL,
      (300..<400).contains(transfer.response.status), let target = transfer.response.location
    else { return nil }
    let name = String(target.prefix { $0 != ":" }.prefix(32)).lowercased().onOneLine
    return (name, WebURL.withoutCredentials(target))
  }
}
