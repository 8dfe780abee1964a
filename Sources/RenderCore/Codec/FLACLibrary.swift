// SPDX-License-Identifier: MIT

#if DRAWBAR_FLAC
  package import CFLAC

  /// libFLAC's functions, from the first time that a stream or a file needs one on.
  ///
  /// Any thread but the render thread, which gets the pointer from its decoder.
  package enum FLACLibrary {
    /// Nil where the library that the headers were for is not installed. Never freed.
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
