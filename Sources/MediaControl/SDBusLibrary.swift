// SPDX-License-Identifier: MIT

#if DRAWBAR_SDBUS
  internal import CSDBus

  /// libsystemd's sd-bus, loaded on first use.
  enum SDBusLibrary {
    /// Nil if the library that matches the header is not installed.
    static let functions: drawbar_sdbus? = {
      let place = UnsafeMutablePointer<drawbar_sdbus>.allocate(capacity: 1)
      defer { unsafe place.deallocate() }
      guard unsafe drawbar_sdbus_load(place) else { return nil }
      return unsafe place.pointee
    }()
  }
#endif
