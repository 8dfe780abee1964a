// SPDX-License-Identifier: MIT

import CCurl
import Glibc

extension CurlTransfer {
  /// The cookies of all servers, for the life of the process.
  private nonisolated(unsafe) static let cookies: UnsafeMutableRawPointer? =
    unsafe CurlLibrary.functions.flatMap { unsafe drawbar_curl_make_cookies($0) }

  /// Sets the options of the request and its connection; returns false if libcurl rejects one.
  func setOptions() -> Bool {
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    let errors = unsafe UnsafeMutableRawPointer(errorText.baseAddress!)
    let connectMilliseconds = pollMilliseconds(configuration.connectTimeoutNanoseconds)
    // SHOUTcast's own status line, which libcurl accepts as HTTP only with this alias.
    unsafe aliases = curl.curl_slist_append(nil, "ICY 200 OK")
    guard unsafe aliases != nil, let cookies = unsafe Self.cookies, setPlace() else { return false }
    let codes = unsafe [
      drawbar_curl_set_pointer(curl, easy, CURLOPT_ERRORBUFFER, errors),
      drawbar_curl_set_body_function(curl, easy, curlDidReceiveBody, context),
      drawbar_curl_set_header_function(curl, easy, curlDidReceiveHead, context),
      drawbar_curl_set_prerequest_function(curl, easy, curlWillSendRequest, context),

      drawbar_curl_set_pointer(curl, easy, CURLOPT_SHARE, cookies),
      // No file, but only this option makes the handle send cookies.
      drawbar_curl_set_string(curl, easy, CURLOPT_COOKIEFILE, ""),
      drawbar_curl_set_string(curl, easy, CURLOPT_USERAGENT, configuration.userAgent),
      drawbar_curl_set_list(curl, easy, CURLOPT_HTTP200ALIASES, aliases),
      // One long body: HTTP/2 would only add a window of its own between TCP and the reader.
      drawbar_curl_set_long(curl, easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)),
      drawbar_curl_set_long(curl, easy, CURLOPT_TCP_KEEPALIVE, 1),

      // A redirect must not reach this machine's files. `followRedirect` follows them: libcurl would read
      // their bodies to the end.
      drawbar_curl_set_string(curl, easy, CURLOPT_PROTOCOLS_STR, "http,https"),
      drawbar_curl_set_long(curl, easy, CURLOPT_FOLLOWLOCATION, 0),
      // Otherwise a proxy's answer to CONNECT would look like the server's.
      drawbar_curl_set_long(curl, easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1),

      // Signals and threads do not go together, and a hanging look-up must not hang `close`.
      drawbar_curl_set_long(curl, easy, CURLOPT_NOSIGNAL, 1),
      drawbar_curl_set_long(curl, easy, CURLOPT_QUICK_EXIT, 1),
      drawbar_curl_set_long(curl, easy, CURLOPT_CONNECTTIMEOUT_MS, Int(connectMilliseconds)),
    ]
    return codes.allSatisfy { $0 == CURLE_OK } && setCertificates()
  }

  /// Sets the trusted certificates, unless they are the system's.
  private func setCertificates() -> Bool {
    let named = unsafe getenv("SSL_CERT_FILE").map { unsafe String(cString: $0) } ?? ""
    let file = configuration.certificateFile ?? named
    if file.isEmpty { return true }
    return unsafe drawbar_curl_set_string(curl, easy, CURLOPT_CAINFO, file) == CURLE_OK
  }

  /// Sets the request's URL, credentials and fields: the location's own credentials go to no other server.
  func setPlace() -> Bool {
    let isHome = url.isSameServer(as: firstURL)
    let credentials = url.user == nil && url.password == nil && isHome ? firstURL : url
    let codes = unsafe [
      // Credentials apart from the URL, so that libcurl cannot put them into its messages.
      drawbar_curl_set_string(curl, easy, CURLOPT_URL, url.text),
      drawbar_curl_set_string(curl, easy, CURLOPT_USERNAME, credentials.user),
      drawbar_curl_set_string(curl, easy, CURLOPT_PASSWORD, credentials.password),
    ]
    return codes.allSatisfy { $0 == CURLE_OK } && setRequestFields(isHome: isHome)
  }

  /// Requests a part of the body, or metadata in all of it, and sets the configured fields: all of them for the
  /// location's server, without passwords and cookies for any other.
  private func setRequestFields(isHome: Bool) -> Bool {
    let fields = configuration.requestFields.filter { isHome || !$0.isPrivate }
    var lines = fields.map(\.line)
    unsafe curl.curl_slist_free_all(requestFields)
    unsafe requestFields = nil
    if let range {
      if let validator = range.validator { lines.append("If-Range: \(validator)") }
    } else if configuration.requestsStreamMetadata {
      lines.append("Icy-MetaData: 1")
    }
    for line in lines {
      guard let longer = unsafe curl.curl_slist_append(requestFields, line) else { return false }
      unsafe requestFields = longer
    }
    let wanted: String? = range.map { "\($0.byteOffset)-" }
    let codes = unsafe [
      drawbar_curl_set_list(curl, easy, CURLOPT_HTTPHEADER, requestFields),
      drawbar_curl_set_string(curl, easy, CURLOPT_RANGE, wanted),
    ]
    return codes.allSatisfy { $0 == CURLE_OK }
  }

  /// Returns a numeric fact; 0 if unknown.
  func long(_ info: CURLINFO) -> Int {
    var value = 0
    unsafe drawbar_curl_get_long(curl, easy, info, &value)
    return value
  }

  /// Returns a byte count, or a time in microseconds; 0 if unknown.
  func offset(_ info: CURLINFO) -> curl_off_t {
    var value: curl_off_t = 0
    unsafe drawbar_curl_get_offset(curl, easy, info, &value)
    return value
  }

  /// Returns a text fact.
  func string(_ info: CURLINFO) -> String? {
    var value: UnsafePointer<CChar>?
    unsafe drawbar_curl_get_string(curl, easy, info, &value)
    return unsafe value.map { unsafe String(cString: $0) }
  }
}

// The callbacks are separate functions: a closure would take on the isolation of its context.

private func transfer(_ context: UnsafeMutableRawPointer?) -> CurlTransfer {
  unsafe Unmanaged.fromOpaque(context!).takeUnretainedValue()
}

private func curlDidReceiveBody(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
  _ context: UnsafeMutableRawPointer?
) -> Int {
  unsafe transfer(context).receiveBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
}

private func curlDidReceiveHead(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
  _ context: UnsafeMutableRawPointer?
) -> Int {
  let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
  return unsafe line.withMemoryRebound(to: UInt8.self) { line in
    unsafe transfer(context).receiveHead(line.span) ? size * count : 0
  }
}

private func curlWillSendRequest(
  _ context: UnsafeMutableRawPointer?, _ remoteAddress: UnsafeMutablePointer<CChar>?,
  _ localAddress: UnsafeMutablePointer<CChar>?, _ remotePort: Int32, _ localPort: Int32
) -> Int32 {
  unsafe transfer(context).beginRequest()
  return Int32(CURL_PREREQFUNC_OK)
}
