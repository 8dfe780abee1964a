// SPDX-License-Identifier: MIT

#if DRAWBAR_OPUS
  internal import COpus

  /// libopus's functions, loaded when a stream first needs one.
  ///
  /// Any thread but the render thread, which gets the pointer from its decoder.
  enum OpusLibrary {
    /// Nil if the library is not installed. Never freed.
    nonisolated(unsafe) static let functions: UnsafePointer<drawbar_opus>? = {
      let place = UnsafeMutablePointer<drawbar_opus>.allocate(capacity: 1)
      guard unsafe drawbar_opus_load(place) else {
        unsafe place.deallocate()
        return nil
      }
      return unsafe UnsafePointer(place)
    }()

    /// The library's file, as the loader looks for it.
    static var file: String { unsafe String(cString: drawbar_opus_file()) }
  }
#endif
