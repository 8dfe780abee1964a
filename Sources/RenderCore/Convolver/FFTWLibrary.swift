// SPDX-License-Identifier: MIT

#if DRAWBAR_FFTW
  internal import CFFTW

  /// FFTW's functions, loaded for the first convolver.
  ///
  /// Any thread but the render thread, which gets the pointer from its transform.
  enum FFTWLibrary {
    /// Nil if the library is not installed. Never freed.
    nonisolated(unsafe) static let functions: UnsafePointer<drawbar_fftw>? = {
      let place = UnsafeMutablePointer<drawbar_fftw>.allocate(capacity: 1)
      guard unsafe drawbar_fftw_load(place) else {
        unsafe place.deallocate()
        return nil
      }
      return unsafe UnsafePointer(place)
    }()

    /// FFTW makes and destroys plans on one thread at a time.
    static let planner = POSIXMutex(())
  }
#endif
