// SPDX-License-Identifier: MIT

#if DRAWBAR_RUBBERBAND
  internal import CRubberBand

  /// librubberband's functions, loaded when a queue first needs one.
  enum RubberBandLibrary {
    /// nil if the library of this header's version is not installed.
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
