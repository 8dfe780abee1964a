// SPDX-License-Identifier: MIT

#if DRAWBAR_FLAC
  package import CFLAC

  /// libFLAC's functions, loaded when a stream or a file first needs one.
  ///
  /// Any thread but the render thread, which gets the pointer from its decoder.
  package enum FLACLibrary {
    /// Nil if the library that the headers belong to is not installed. Never freed.
    package nonisolated(unsafe) static let functions: UnsafePointer<drawbar_flac>? = {
      let place = UnsafeMutablePointer<drawbar_flac>.allocate(capacity: 1)
      guard unsafe drawbar_flac_load(place) else {
        unsafe place.deallocate()
        return nil
      }
      return unsafe UnsafePointer(place)
    }()

    /// The library's file, as the loader looks for it.
    package static var file: String { "libFLAC.so.\(drawbar_flac_version())" }
  }
#endif
