// SPDX-License-Identifier: MIT

import AudioModel
import CCurl

/// A body fetched over HTTP or HTTPS. The transfer runs inside `read`; between reads nothing runs,
/// and a server that sends faster than it is read waits on TCP's window.
final class HTTPByteSource: ByteSource, @unchecked Sendable {
  private let url: WebURL
  private let configuration: ByteSourceConfiguration
  private var transfer: CurlTransfer
  /// The head of the first answer, once there is a second request.
  private var firstResponse: HTTPResponse?
  private let wakePipe: WakePipe
  private let exclusive = ExclusiveUse()
  private var clock = StallClock()
  private var failure: ByteSourceError?
  /// Everything was read, up to the last byte.
  private var isEnded = false
  /// Where the transfer went, when it has ended.
  private var endPlace: WebURL?
  private var isClosed = false

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

  private static func noResources(_ url: WebURL) -> ByteSourceError {
    ByteSourceError(
      .transfer(
        code: Int32(bitPattern: CURLE_FAILED_INIT.rawValue),
        explanation: "no memory or file descriptors left"), at: url.text)
  }

  var information: ByteSourceInformation {
    exclusive {
      let response = firstResponse ?? transfer.response
      let isAnswered = response.isComplete && response.isSuccess
      let contentType = isAnswered ? response.contentType : nil
      var information = ByteSourceInformation(
        name: url.text, byteCount: isAnswered ? response.contentLength : nil,
        contentType: contentType, isRepositionable: isAnswered && response.acceptsByteRanges,
        fileTypeHint: AudioFileTypeID(hintedByPath: url.path, contentType: contentType))
      let answering = endPlace ?? place
      if isAnswered, answering.text != url.text { information.redirectedTo = answering.text }
      return information
    }
  }

  func read(
    into buffer: UnsafeMutableRawBufferPointer, timeoutNanoseconds: UInt64
  ) throws(ByteSourceError) -> ByteSourceRead {
    precondition(buffer.count > 0, "a read needs room for a byte")
    return try exclusive { () throws(ByteSourceError) in
      let start = monotonicNanoseconds()
      while true {
        if isEnded || isClosed { return .end }
        if let failure { throw failure }
        if transfer.availableBytes < buffer.count { transfer.perform() }
        let count = unsafe transfer.take(into: buffer)
        if count > 0 {
          clock.reset()
          return .bytes(count)
        }
        if let outcome = transfer.outcome {
          finish(outcome)
          continue
        }
        let now = monotonicNanoseconds()
        let untilTimeout = try nanosecondsUntilTimeout(now)
        let elapsed = now - start
        guard elapsed < timeoutNanoseconds else { return .wait }
        let remaining = min(timeoutNanoseconds - elapsed, untilTimeout)
        if transfer.wait(nanoseconds: remaining) { return .wait }
      }
    }
  }

  func reposition(to byteOffset: UInt64) throws(ByteSourceError) {
    try exclusive { () throws(ByteSourceError) in
      if isClosed { return }
      if let failure { throw failure }
      let first = firstResponse ?? transfer.response
      guard first.isComplete, first.isSuccess, first.acceptsByteRanges else {
        throw ByteSourceError(.notRepositionable, at: url.text)
      }
      // The connection goes with it: what the server still sends on it is not wanted.
      transfer.close()
      isEnded = false
      clock = StallClock()
      firstResponse = first
      // The URL that was given, not the one that redirects led to: that may hold for one request only.
      guard
        let next = CurlTransfer(
          url, configuration, range: RangeRequest(byteOffset: byteOffset, first: first),
          wakePipe: wakePipe)
      else {
        let error = Self.noResources(url)
        failure = error
        throw error
      }
      transfer = next
    }
  }

  func wake() {
    wakePipe.wake()
  }

  func close() {
    exclusive {
      isClosed = true
      transfer.close()
    }
  }

  /// Nothing came: how much longer that may go on.
  private func nanosecondsUntilTimeout(_ now: UInt64) throws(ByteSourceError) -> UInt64 {
    let silence = clock.foundNothing(progress: transfer.progress, now: now)
    let (wait, limit): (ByteSourceError.Wait, UInt64)
    switch transfer.phase {
    case .connecting: return .max  // libcurl's own clock, which knows of further addresses to try.
    case .awaitingAnswer: (wait, limit) = (.answer, configuration.answerTimeoutNanoseconds)
    case .answering:
      wait = .nextByte(receivedBytes: transfer.receivedBytes)
      limit = configuration.stallTimeoutNanoseconds
    }
    guard silence >= limit else { return limit - silence }
    let place = place
    let reason = ByteSourceError.Reason.timedOut(
      wait, host: place.host, port: place.port, nanoseconds: limit)
    throw fail(reason, at: place)
  }

  private func finish(_ outcome: CurlTransfer.Outcome) {
    let place = place
    endPlace = place
    if let scheme = refusedScheme(outcome) {
      failure = ByteSourceError(
        .unsupportedScheme(scheme.name), at: scheme.location, redirectedFrom: url.text)
      transfer.close()
    } else if let reason = ByteSourceError.Reason(outcome, transfer, at: place, configuration) {
      _ = fail(reason, at: place)
    } else {
      isEnded = true
      transfer.close()
    }
  }

  /// The scheme that a redirect led to, when that is why libcurl gave up.
  private func refusedScheme(
    _ outcome: CurlTransfer.Outcome
  ) -> (name: String, location: String)? {
    guard outcome.code == CURLE_UNSUPPORTED_PROTOCOL,
      (300..<400).contains(transfer.response.status), let target = transfer.response.location
    else { return nil }
    let name = String(target.prefix { $0 != ":" }.prefix(32)).lowercased().onOneLine
    return (name, WebURL.withoutCredentials(target))
  }

  /// Where the present request goes, after redirects.
  private var place: WebURL {
    transfer.presentURL.flatMap { WebURL($0) } ?? url
  }

  private func fail(_ reason: ByteSourceError.Reason, at place: WebURL) -> ByteSourceError {
    let error = ByteSourceError(
      reason, at: place.text, redirectedFrom: place.text == url.text ? nil : url.text)
    failure = error
    transfer.close()
    return error
  }
}
