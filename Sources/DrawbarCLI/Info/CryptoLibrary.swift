// SPDX-License-Identifier: MIT

import CCrypto

/// libcrypto, loaded when it is first asked for: for the first digest.
enum CryptoLibrary {
  /// Nil where the library that the header was for is not installed.
  static let functions: drawbar_crypto? = {
    let place = UnsafeMutablePointer<drawbar_crypto>.allocate(capacity: 1)
    defer { unsafe place.deallocate() }
    guard unsafe drawbar_crypto_load(place) else { return nil }
    return unsafe place.pointee
  }()

  /// What to say where there is none.
  static var absence: String {
    let file = unsafe String(cString: drawbar_crypto_file())
    return "the digest of the packets needs libcrypto, which is not installed;"
      + " install \(file) (Debian: libssl3)"
  }
}
