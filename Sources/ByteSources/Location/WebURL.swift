// SPDX-License-Identifier: MIT

import AudioModel
import CCurl

/// An HTTP URL in the parts that a request and its messages need, parsed by libcurl's own parser, so that
/// messages show the requested URL.
struct WebURL: Hashable {
  /// The URL without user name and password, spaces percent-encoded. Safe to show.
  var text: String
  /// The host as in the URL: an IPv6 address is in brackets.
  var host: String
  /// The port, also when it is the scheme's own.
  var port: UInt16
  /// The path, percent-encoded, without the query.
  var path: String
  /// The user name, decoded.
  var user: String?
  /// The password, decoded.
  var password: String?

  /// Returns whether both URLs have the same scheme, host and port.
  func isSameServer(as other: WebURL) -> Bool {
    func scheme(_ url: WebURL) -> String { url.text.prefix { $0 != ":" }.lowercased() }
    return host.lowercased() == other.host.lowercased() && port == other.port
      && scheme(self) == scheme(other)
  }

  /// Parses a URL; nil when libcurl cannot use it, or is not installed.
  ///
  /// - Parameter base: the base of a URL without a scheme (RFC 3986, section 5); nil if the URL must have a
  ///   scheme.
  init?(_ text: String, relativeTo base: WebURL? = nil) {
    guard let curl = CurlLibrary.functions, let parts = unsafe curl.curl_url() else { return nil }
    defer { unsafe curl.curl_url_cleanup(parts) }
    let accepted = UInt32(CURLU_NON_SUPPORT_SCHEME | CURLU_ALLOW_SPACE | CURLU_URLENCODE)
    if let base {
      guard unsafe curl.curl_url_set(parts, CURLUPART_URL, base.text, accepted) == CURLUE_OK else {
        return nil
      }
    }
    guard unsafe curl.curl_url_set(parts, CURLUPART_URL, text, accepted) == CURLUE_OK else {
      return nil
    }
    let decoded = UInt32(CURLU_URLDECODE)
    user = unsafe curl.part(CURLUPART_USER, of: parts, flags: decoded)
    password = unsafe curl.part(CURLUPART_PASSWORD, of: parts, flags: decoded)
    _ = unsafe curl.curl_url_set(parts, CURLUPART_USER, nil, 0)
    _ = unsafe curl.curl_url_set(parts, CURLUPART_PASSWORD, nil, 0)
    guard
      let whole = unsafe curl.part(CURLUPART_URL, of: parts),
      let host = unsafe curl.part(CURLUPART_HOST, of: parts), !host.isEmpty,
      let path = unsafe curl.part(CURLUPART_PATH, of: parts)
    else { return nil }
    let number = unsafe curl.part(CURLUPART_PORT, of: parts, flags: UInt32(CURLU_DEFAULT_PORT))
    self.text = whole.onOneLine
    self.host = host.onOneLine
    self.path = path
    port = number.flatMap { UInt16($0) } ?? 0
  }

  /// Returns a text that may not be a URL at all, for a message: without everything between `//` and the last
  /// `@`.
  static func withoutCredentials(_ text: String) -> String {
    let bytes = Array(text.utf8)
    // libcurl cannot use paths and `file:` URLs, so it is not loaded for them.
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
      bytes[(colon + 1)...].starts(with: "/".utf8)
    else { return text.onOneLine }
    if !text.lowercased().hasPrefix("file:"), let url = WebURL(text) { return url.text }
    guard bytes[(colon + 1)...].starts(with: "//".utf8) else { return text.onOneLine }
    let start = colon + 3
    // A password with a raw slash in it makes the URL unusable, and must not be shown either.
    guard let at = bytes[start...].lastIndex(of: UInt8(ascii: "@")) else { return text.onOneLine }
    return String(decoding: bytes[..<start] + bytes[(at + 1)...], as: UTF8.self).onOneLine
  }
}

extension drawbar_curl {
  /// Returns a part of a URL that libcurl has parsed.
  fileprivate func part(
    _ part: CURLUPart, of parts: OpaquePointer, flags: UInt32 = 0
  ) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard unsafe curl_url_get(parts, part, &text, flags) == CURLUE_OK, let text = unsafe text else {
      return nil
    }
    defer { unsafe curl_free(text) }
    return unsafe String(cString: text)
  }
}

extension String {
  /// The text for a message: on one line, and if it is a URL or resembles one, without user name and password.
  package var withoutCredentials: String { WebURL.withoutCredentials(self) }
}
