// SPDX-License-Identifier: MIT

import CCurl

/// One GET, of a body or of the rest of one, driven step by step by the thread that reads it. All calls of libcurl on a handle are
/// in this class and its extension; what they mean is decided above it.
@safe final class CurlTransfer {
  /// How far the transfer is with the present request.
  enum Phase: Hashable {
    /// Finding the address, connecting, agreeing on encryption.
    case connecting
    /// The request is on its way; no byte of the answer has come.
    case awaitingAnswer
    /// The answer is coming.
    case answering
  }

  /// How a transfer ended, in libcurl's terms.
  struct Outcome {
    var code: CURLcode
    /// libcurl's words for this very failure.
    var text: String
    /// The system's error on connecting, or 0.
    var errno: Int32 = 0
    /// A proxy's answer to CONNECT, or 0.
    var proxyStatus = 0
    /// Whether the host's address had been found.
    var hasAddress = false
    /// What the server's `Retry-After` says, as a time or a date; 0 without one.
    var retryAfterSeconds = 0
  }

  let curl: drawbar_curl
  let easy: UnsafeMutableRawPointer
  let errorText: UnsafeMutableBufferPointer<CChar>
  /// The list given as HTTP200ALIASES, which libcurl does not copy.
  var aliases: UnsafeMutablePointer<curl_slist>?
  /// Further request fields, a list that libcurl does not copy.
  var requestFields: UnsafeMutablePointer<curl_slist>?
  /// What part of the body is asked for; nil for all of it.
  let range: RangeRequest?
  private let wakePipe: WakePipe
  let multi: UnsafeMutableRawPointer
  private var isOpen = true
  /// Where the present request goes: the location, or where redirects led.
  var url: WebURL
  let configuration: ByteSourceConfiguration
  /// The location itself, to which alone its password and the request's own `Cookie` belong.
  let firstURL: WebURL
  /// Redirects that were followed.
  var redirectCount = 0

  /// Something was done for it.
  private(set) var hasBegun = false
  var phase = Phase.connecting
  var response = HTTPResponse()
  /// How the transfer ended; nil while it runs.
  private(set) var outcome: Outcome?
  /// Bytes received so far of what this request is answered with, all of them.
  private(set) var bodyBytes: UInt64 = 0
  /// How many of these still to come are dropped: they were received before.
  private var repeatedBytes: UInt64 = 0
  /// Bytes received so far of what was asked for.
  private(set) var partBytes: UInt64 = 0
  /// Bytes that lie before what this request asks for.
  private let startOffset: UInt64
  /// Grows with every step of the transfer: a request, a head's start and end, a piece of the body.
  var progress: UInt64 = 0
  private var buffer: ReceiveBuffer
  /// The buffer is full, and the server made to wait.
  private(set) var isPaused = false
  private var headBytes = 0

  /// libcurl delivers a body in pieces of at most this size, and a piece is taken whole or not.
  private static let largestPiece = Int(CURL_MAX_WRITE_SIZE)
  /// Bytes of header lines over all redirects; a server could send them for ever.
  private static let headLimit = 256 * 1024

  /// libcurl, ready for transfers.
  private static let library: drawbar_curl? = CurlLibrary.functions.flatMap { curl in
    curl.curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK ? curl : nil
  }

  /// A transfer that has not begun; nil when libcurl has no memory or descriptors for it.
  ///
  /// - Parameters:
  ///   - range: what part of the body is asked for; nil for all of it.
  ///   - startOffset: bytes that were received of it before.
  ///   - wakePipe: what ends a wait.
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

  /// Sends and receives what can be without waiting. Nothing happens while the buffer is full.
  func perform() {
    guard isOpen, outcome == nil, !isPaused else { return }
    hasBegun = true
    while performOnce() {}
  }

  /// One call of libcurl, and what it ends; whether a redirect leads to a further request.
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

  /// Follows a redirect whose own body does not come.
  func leaveRedirect() {
    guard isOpen, outcome == nil, response.isRedirect else { return }
    _ = follow()
  }

  /// Follows a redirect; false if that ends the transfer.
  private func follow() -> Bool {
    let code = followRedirect()
    guard code != CURLE_OK else { return true }
    end(Outcome(code: code, text: unsafe String(cString: curl.curl_easy_strerror(code)!)))
    return false
  }

  /// Waits for something to perform; whether a wake ended the wait.
  func wait(nanoseconds: UInt64) -> Bool {
    var wake = curl_waitfd(fd: wakePipe.readEnd, events: Int16(CURL_WAIT_POLLIN), revents: 0)
    // A failing poll returns at once, and the caller looks at its clocks again.
    _ = unsafe curl.curl_multi_poll(multi, &wake, 1, pollMilliseconds(nanoseconds), nil)
    guard wake.revents != 0 else { return false }
    wakePipe.drain()
    return true
  }

  /// Bytes from the body's first to the next one to be received; of live sound also those of earlier
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

  /// Bytes of the whole body, when they are known.
  var expectedBytes: UInt64? {
    guard response.isSuccess || range != nil else { return nil }
    return range?.first.bodyLength ?? response.bodyLength
  }

  /// The byte behind the last one that this answer brings, as far as its head says.
  private var endOffset: UInt64? {
    // No parser accepts a part whose last byte has no successor: it is below a total, or a length.
    if response.status == 206, let part = response.contentRange { return part.last &+ 1 }
    return range == nil ? nil : expectedBytes
  }

  /// Whether all came that the head announces; nil where it announces nothing.
  var isWhole: Bool? { endOffset.map { bodyOffset == $0 } }

  /// The byte at which the body goes on behind the part that came whole; nil where nothing is left.
  var nextPartOffset: UInt64? {
    guard response.status == 206, isWhole == true, bodyOffset != expectedBytes else { return nil }
    return bodyOffset
  }

  /// Why the body that comes is not the one that was asked for.
  var objection: ByteSourceError.Reason? {
    guard response.isComplete else { return nil }
    if response.isSuccess, let coding = response.foreignCoding { return .foreignCoding(coding) }
    if let range { return range.objection(to: response) }
    return response.isLaterPart ? .wrongRange(byteOffset: 0) : nil
  }

  /// Bytes that can be taken.
  var availableBytes: Int { buffer.count }

  /// Calls the body with the first bytes that can be taken, at most so many.
  func withFirstBytes<Result>(_ count: Int, _ body: (Span<UInt8>) -> Result) -> Result {
    buffer.withFirstBytes(count, body)
  }

  /// Moves received bytes to the destination, and lets the server go on when half the buffer is
  /// free again.
  func take(into destination: UnsafeMutableRawBufferPointer) -> Int {
    let count = unsafe buffer.take(into: destination)
    if isPaused, buffer.count <= buffer.capacity / 2 {
      isPaused = false
      // It may hand over the piece it kept before it returns.
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

// What libcurl's callbacks do. They run inside `perform` and `take`.
extension CurlTransfer {
  /// The connection stands, and the request is sent next.
  func beginRequest() {
    phase = .awaitingAnswer
    progress += 1
  }

  /// Takes a header line; false ends the transfer.
  func receiveHead(_ line: Span<UInt8>) -> Bool {
    // A head that comes line by line, each in time, could last for ever: it is one thing to wait for.
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

  /// Takes a piece of the body; what the write callback returns (CURLOPT_WRITEFUNCTION(3)).
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
    // What a part brings behind its own end is not what the head says that it is.
    let left = response.status == 206 ? endOffset.map { $0 - min($0, bodyOffset) } : nil
    let kept = Int(min(left ?? .max, UInt64(bytes.count - dropped)))
    unsafe buffer.append(UnsafeRawBufferPointer(rebasing: bytes[dropped..<dropped + kept]))
    bodyBytes += UInt64(bytes.count)
    partBytes += UInt64(kept)
    return dropped + kept == bytes.count ? bytes.count : Int(CURL_WRITEFUNC_ERROR)
  }
}
