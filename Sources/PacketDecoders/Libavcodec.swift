// SPDX-License-Identifier: MIT

#if DRAWBAR_AVCODEC
  import CAVCodec

  /// libavcodec's functions, loaded when a stream first needs one. Never on the render thread.
  enum Libavcodec {
    /// nil if the library of these headers' version is not installed.
    static let functions: drawbar_avcodec? = {
      let place = UnsafeMutablePointer<drawbar_avcodec>.allocate(capacity: 1)
      defer { unsafe place.deallocate() }
      guard unsafe drawbar_avcodec_load(place) else { return nil }
      // A library must not write to its user's terminal. The level applies to the whole process.
      unsafe place.pointee.av_log_set_level(AV_LOG_QUIET)
      return unsafe place.pointee
    }()

    /// The library's file, as the loader looks for it.
    static var file: String { unsafe String(cString: drawbar_avcodec_file()) }
  }
#endif
