// SPDX-License-Identifier: MIT

#if DRAWBAR_LIBLO
  internal import CLO

  /// liblo, loaded on first use.
  enum LOLibrary {
    /// Nil if the library that matches the header is not installed.
    static let functions: drawbar_lo? = {
      let place = UnsafeMutablePointer<drawbar_lo>.allocate(capacity: 1)
      defer { unsafe place.deallocate() }
      guard unsafe drawbar_lo_load(place) else { return nil }
      return unsafe place.pointee
    }()
  }
#endif
