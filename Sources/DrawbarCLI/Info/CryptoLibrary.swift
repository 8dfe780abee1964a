// SPDX-License-Identifier: MIT

import CCrypto

/// libcrypto, loaded for the first digest.
enum CryptoLibrary {
  /// Nil if the library that the header belongs to is not installed.
  static let functions: drawbar_crypto? = {
    let place = UnsafeMutablePointer<drawbar_crypto>.allocate(capacity: 1)
    defer { unsafe place.deallocate() }
    guard unsafe drawbar_crypto_load(place) else { return nil }
    return unsafe place.pointee
  }()

  /// The error message for a missing library.
  static var absence: String {
    let file = unsafe String(cString: drawbar_crypto_file())
    return "the digest of the packets needs libcrypto, which is not installed;"
      + " install \(file) (Debian: libssl3)"
  }
}
