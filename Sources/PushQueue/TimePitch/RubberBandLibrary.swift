// SPDX-License-Identifier: MIT

#if DRAWBAR_RUBBERBAND
  internal import CRubberBand

  /// librubberband's functions, from the first time that a queue needs one on.
  enum RubberBandLibrary {
    /// Nil where the library that the header was for is not installed.
    static let functions: drawbar_rubberband? = {
      let place = UnsafeMutablePointer<drawbar_rubberband>.allocate(capacity: 1)
      defer { unsafe place.deallocate() }
      guard unsafe drawbar_rubberband_load(place) else { return nil }
      return unsafe place.pointee
    }()

    /// The library's file, as the loader looks for it.
    static var file: String { unsafe String(cString: drawbar_rubberband_file()) }
  }
#endif
