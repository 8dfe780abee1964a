// SPDX-License-Identifier: MIT

import CCurl

/// libcurl, loaded on first use: for the first URL. Never on the render thread.
enum CurlLibrary {
  /// nil if the library is not installed.
  static let functions: drawbar_curl? = {
    let place = UnsafeMutablePointer<drawbar_curl>.allocate(capacity: 1)
    defer { unsafe place.deallocate() }
    guard unsafe drawbar_curl_load(place) else { return nil }
    return unsafe place.pointee
  }()
}
