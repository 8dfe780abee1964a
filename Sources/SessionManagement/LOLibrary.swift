// SPDX-License-Identifier: MIT

#if DRAWBAR_LIBLO
  internal import CLO

  /// liblo, loaded when it is first asked for.
  enum LOLibrary {
    /// Nil where the library that the header was for is not installed.
    static let functions: drawbar_lo? = {
      let place = UnsafeMutablePointer<drawbar_lo>.allocate(capacity: 1)
      defer { unsafe place.deallocate() }
      guard unsafe drawbar_lo_load(place) else { return nil }
      return unsafe place.pointee
    }()
  }
#endif
