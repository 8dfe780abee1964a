// SPDX-License-Identifier: MIT

import CCurl

/// One GET, of a body or of its rest, driven step by step by the reading thread. All libcurl calls on a handle
/// are in this class and its extensions; the layer above interprets the results.
@safe final class CurlTransfer {
  /// The progress of the current request.
  enum Phase: Hashable {
    /// Finding the address, connecting, agreeing on encryption.
    case connecting
    /// The request is on its way; no byte of the answer has come.
    case awaitingAnswer
    /// The answer is coming.
    case answering
  }

  /// The end of a transfer, in libcurl's terms.
  struct Outcome {
    var code: CURLcode
    /// libcurl's text for this failure.
    var text: String
    /// The system's error on connecting, or 0.
    var errno: Int32 = 0
    /// A proxy's answer to CONNECT, or 0.
    var proxyStatus = 0
    /// Whether the host's address had been found.
    var hasAddress = false
    /// The server's `Retry-After`, a time or a date, in seconds; 0 without one.
    var retryAfterSeconds = 0
  }

  let curl: drawbar_curl
  let easy: UnsafeMutableRawPointer
  let errorText: UnsafeMutableBufferPointer<CChar>
  /// The list passed as HTTP200ALIASES, which libcurl does not copy.
  var aliases: UnsafeMutablePointer<curl_slist>?
  /// Further request fields, a list that libcurl does not copy.
  var requestFields: UnsafeMutablePointer<curl_slist>?
  /// The requested part of the body; nil for all of it.
  let range: RangeRequest?
  private let wakePipe: WakePipe
  let multi: UnsafeMutableRawPointer
  private var isOpen = true
  /// The URL of the current request: the location, or a redirect's target.
  var url: WebURL
  let configuration: ByteSourceConfiguration
  /// The location itself. Its password and private request fields go only to its server.
  let firstURL: WebURL
  /// Redirects followed so far.
  var redirectCount = 0

  /// Whether libcurl has been called for the transfer.
  private(set) var hasBegun = false
  var phase = Phase.connecting
  var response = HTTPResponse()
  /// The transfer's end; nil while it runs.
  private(set) var outcome: Outcome?
  /// Bytes received so far of this request's answer, all of them.
  private(set) var bodyBytes: UInt64 = 0
  /// Bytes still to come that are discarded, because they were received before.
  private var repeatedBytes: UInt64 = 0
  /// Bytes received so far of the requested part.
  private(set) var partBytes: UInt64 = 0
  /// Bytes before this request's first one.
  private let startOffset: UInt64
  /// Grows with every step of the transfer: a request, a head's start and end, a piece of the body.
  var progress: UInt64 = 0
  private var buffer: ReceiveBuffer
  /// Whether the transfer is paused: the buffer is full, and the server is held back.
  private(set) var isPaused = false
  private var headBytes = 0

  /// libcurl delivers a body in pieces of at most this size; a piece is taken completely or not at all.
  private static let largestPiece = Int(CURL_MAX_WRITE_SIZE)
  /// The most bytes of header lines over all redirects; a server could send them for ever.
  private static let headLimit = 256 * 1024

  /// libcurl, initialised for transfers.
  private static let library: drawbar_curl? = CurlLibrary.functions.flatMap { curl in
    curl.curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK ? curl : nil
  }

  /// Creates a transfer that has not begun; nil when libcurl has no memory or descriptors for it.
  ///
  /// - Parameters:
  ///   - range: the requested part of the body; nil for all of it.
  ///   - startOffset: bytes of the body received before.
  ///   - wakePipe: ends a wait.
  init?(
    _ url: WebURL, _ configuration: ByteSourceConfiguration, range: RangeRequest? = nil,
    startOffset: UInt64 = 0, wakePipe: WakePipe
  ) {
    guard let curl = Self.library, let easy = unsafe curl.curl_easy_init() else { return nil }
    guard let multi = unsafe curl.curl_multi_init() else {
      unsafe curl.curl_easy_cleanup(easy)
      return nil
    }
    self.curl = curl
    self.url = url
    self.configuration = configuration
    firstURL = url
    unsafe self.easy = easy
    unsafe self.multi = multi
    self.range = range
    self.startOffset = range?.byteOffset ?? startOffset
    self.wakePipe = wakePipe
    unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    unsafe errorText.initialize(repeating: 0)
    buffer = ReceiveBuffer(
      capacity: max(configuration.receiveBufferBytes, 4 * Self.largestPiece))
    guard setOptions(), unsafe curl.curl_multi_add_handle(multi, easy) == CURLM_OK
    else { return nil }
  }

  deinit {
    close()
    unsafe curl.curl_slist_free_all(aliases)
    unsafe curl.curl_slist_free_all(requestFields)
    unsafe errorText.deallocate()
  }

  /// Sends and receives without waiting. Does nothing while the buffer is full.
  func perform() {
    guard isOpen, outcome == nil, !isPaused else { return }
    hasBegun = true
    while performOnce() {}
  }

  /// Calls libcurl once, and handles ended transfers; returns whether a redirect leads to a further request.
  private func performOnce() -> Bool {
    var running: Int32 = 0
    let code = unsafe curl.curl_multi_perform(multi, &running)
    guard code == CURLM_OK else {
      end(
        Outcome(
          code: CURLE_FAILED_INIT, text: unsafe String(cString: curl.curl_multi_strerror(code)!)))
      return false
    }
    var remaining: Int32 = 0
    while let message = unsafe curl.curl_multi_info_read(multi, &remaining) {
      guard unsafe message.pointee.msg == CURLMSG_DONE else { continue }
      if response.isRedirect { return follow() }
      end(describeEnd(unsafe message.pointee.data.result))
    }
    return false
  }

  /// Follows a redirect without waiting for its body.
  func leaveRedirect() {
    guard isOpen, outcome == nil, response.isRedirect else { return }
    _ = follow()
  }

  /// Follows a redirect; returns false if that ends the transfer.
  private func follow() -> Bool {
    let code = followRedirect()
    guard code != CURLE_OK else { return true }
    end(Outcome(code: code, text: unsafe String(cString: curl.curl_easy_strerror(code)!)))
    return false
  }

  /// Waits for something to perform; returns whether a wake ended the wait.
  func wait(nanoseconds: UInt64) -> Bool {
    var wake = curl_waitfd(fd: wakePipe.readEnd, events: Int16(CURL_WAIT_POLLIN), revents: 0)
    // A failing poll returns at once, and the caller checks its clocks again.
    _ = unsafe curl.curl_multi_poll(multi, &wake, 1, pollMilliseconds(nanoseconds), nil)
    guard wake.revents != 0 else { return false }
    wakePipe.drain()
    return true
  }

  /// Bytes from the body's first to the next one to be received; for live sound, including those of earlier
  /// connections.
  var receivedBytes: UInt64 {
    let (sum, overflow) = partBytes.addingReportingOverflow(startOffset)
    return overflow ? .max : sum
  }

  /// Bytes of this answer's body up to the next one to be received.
  var bodyOffset: UInt64 {
    let (sum, overflow) = partBytes.addingReportingOverflow(range?.byteOffset ?? 0)
    return overflow ? .max : sum
  }

  /// Bytes of the whole body, if known.
  var expectedBytes: UInt64? {
    guard response.isSuccess || range != nil else { return nil }
    return range?.first.bodyLength ?? response.bodyLength
  }

  /// The offset behind the last byte of this answer, if its head states it.
  private var endOffset: UInt64? {
    // This cannot overflow: `ContentRange` rejects a last byte without a successor.
    if response.status == 206, let part = response.contentRange { return part.last &+ 1 }
    return range == nil ? nil : expectedBytes
  }

  /// Whether all announced bytes have come; nil if none were announced.
  var isWhole: Bool? { endOffset.map { bodyOffset == $0 } }

  /// The offset at which the body continues behind a complete part; nil if nothing is left.
  var nextPartOffset: UInt64? {
    guard response.status == 206, isWhole == true, bodyOffset != expectedBytes else { return nil }
    return bodyOffset
  }

  /// The reason why the answer's body is not the requested one; nil if it is.
  var objection: ByteSourceError.Reason? {
    guard response.isComplete else { return nil }
    if response.isSuccess, let coding = response.foreignCoding { return .foreignCoding(coding) }
    if let range { return range.objection(to: response) }
    return response.isLaterPart ? .wrongRange(byteOffset: 0) : nil
  }

  /// Bytes available to the reader.
  var availableBytes: Int { buffer.count }

  /// Calls `body` with the first available bytes, at most `count`.
  func withFirstBytes<Result>(_ count: Int, _ body: (Span<UInt8>) -> Result) -> Result {
    buffer.withFirstBytes(count, body)
  }

  /// Moves received bytes to the destination, and resumes the server when half the buffer is free again.
  func take(into destination: UnsafeMutableRawBufferPointer) -> Int {
    let count = unsafe buffer.take(into: destination)
    if isPaused, buffer.count <= buffer.capacity / 2 {
      isPaused = false
      // libcurl may deliver the piece that it kept before this returns.
      let code = unsafe curl.curl_easy_pause(easy, Int32(CURLPAUSE_CONT))
      if code != CURLE_OK { end(describeEnd(code)) }
    }
    return count
  }

  /// Ends the connection and frees the handles. Bytes that were received stay.
  func close() {
    guard isOpen else { return }
    isOpen = false
    _ = unsafe curl.curl_multi_remove_handle(multi, easy)
    unsafe curl.curl_easy_cleanup(easy)
    _ = unsafe curl.curl_multi_cleanup(multi)
  }

  private func end(_ outcome: Outcome) {
    if self.outcome == nil { self.outcome = outcome }
  }

  private func describeEnd(_ code: CURLcode) -> Outcome {
    let words = unsafe String(cString: errorText.baseAddress!)
    return Outcome(
      code: code,
      text: words.isEmpty ? unsafe String(cString: curl.curl_easy_strerror(code)!) : words,
      errno: Int32(truncatingIfNeeded: long(CURLINFO_OS_ERRNO)),
      proxyStatus: long(CURLINFO_HTTP_CONNECTCODE),
      hasAddress: offset(CURLINFO_NAMELOOKUP_TIME_T) > 0,
      retryAfterSeconds: Int(offset(CURLINFO_RETRY_AFTER)))
  }
}

// The work of libcurl's callbacks, which run inside `perform` and `take`.
extension CurlTransfer {
  /// Records that the connection stands and the request is sent next.
  func beginRequest() {
    phase = .awaitingAnswer
    progress += 1
  }

  /// Takes a header line; returns false to end the transfer.
  func receiveHead(_ line: Span<UInt8>) -> Bool {
    // A head could arrive for ever, each line in time: so all of it counts as one step.
    if phase != .answering { progress += 1 }
    phase = .answering
    headBytes += line.count
    response.consume(line)
    if response.isComplete { progress += 1 }
    if response.isComplete, bodyBytes == 0 {
      repeatedBytes = range?.repeatedBytes(of: response) ?? 0
    }
    if response.isRedirect, !response.hasShortBody { return false }
    return headBytes <= Self.headLimit && !response.isRefusal && objection == nil
  }

  /// Takes a piece of the body; returns the write callback's result (CURLOPT_WRITEFUNCTION(3)).
  func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
    progress += 1
    if response.isRedirect { return bytes.count }
    guard response.isSuccess else { return Int(CURL_WRITEFUNC_ERROR) }
    guard bytes.count <= buffer.free else {
      isPaused = true
      return Int(CURL_WRITEFUNC_PAUSE)
    }
    let dropped = Int(min(repeatedBytes, UInt64(bytes.count)))
    repeatedBytes -= UInt64(dropped)
    // Bytes behind the end that a part's head states do not belong to the part.
    let left = response.status == 206 ? endOffset.map { $0 - min($0, bodyOffset) } : nil
    let kept = Int(min(left ?? .max, UInt64(bytes.count - dropped)))
    unsafe buffer.append(UnsafeRawBufferPointer(rebasing: bytes[dropped..<dropped + kept]))
    bodyBytes += UInt64(bytes.count)
    partBytes += UInt64(kept)
    return dropped + kept == bytes.count ? bytes.count : Int(CURL_WRITEFUNC_ERROR)
  }
}
