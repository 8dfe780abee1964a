// SPDX-License-Identifier: MIT

import CCurl

extension CurlTransfer {
  /// Sends the next request to the redirect's target; returns libcurl's code for a failure, or CURLE_OK.
  func followRedirect() -> CURLcode {
    guard redirectCount < configuration.redirectLimit else { return CURLE_TOO_MANY_REDIRECTS }
    guard let location = response.location, !location.isEmpty else { return CURLE_URL_MALFORMAT }
    if let scheme = Self.scheme(of: location), !["http", "https"].contains(scheme) {
      return CURLE_UNSUPPORTED_PROTOCOL
    }
    guard let next = WebURL(location, relativeTo: url) else { return CURLE_URL_MALFORMAT }
    // The handle keeps its connections, so that another request to the same server reuses one.
    _ = unsafe curl.curl_multi_remove_handle(multi, easy)
    redirectCount += 1
    progress += 1
    url = next
    phase = .connecting
    response = HTTPResponse()
    guard setPlace(), unsafe curl.curl_multi_add_handle(multi, easy) == CURLM_OK else {
      return CURLE_OUT_OF_MEMORY
    }
    return CURLE_OK
  }

  /// Returns the scheme of a reference in lower case; nil for a relative one (RFC 3986, section 4.2).
  private static func scheme(of reference: String) -> String? {
    guard let colon = reference.firstIndex(of: ":"), reference.first?.isLetter == true else {
      return nil
    }
    let scheme = reference[..<colon]
    let isScheme = scheme.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || "+-.".utf8.contains(byte)
    }
    return isScheme ? scheme.lowercased() : nil
  }
}
