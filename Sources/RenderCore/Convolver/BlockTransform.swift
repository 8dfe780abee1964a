// SPDX-License-Identifier: MIT

#if DRAWBAR_FFTW
  internal import CFFTW
#endif

/// The Fourier transform of two partitions of samples, or of another number, by FFTW in single precision.
///
/// It works on its own arrays, which are always aligned alike, so every run computes the same bits.
@safe
struct BlockTransform: ~Copyable {
  /// The frames of a convolver's partition: half of those that are transformed.
  static var partitionFrames: Int { @_noLocks get { 256 } }
  static var sampleCount: Int { @_noLocks get { 512 } }

  /// The input of ``forward()`` and the output of ``inverse()``.
  let samples: UnsafeMutablePointer<Float>
  /// The bins from 0 to half the rate: the real and the imaginary part of each, side by side.
  let spectrum: UnsafeMutablePointer<Float>

  #if DRAWBAR_FFTW
    private let library: UnsafePointer<drawbar_fftw>
    private let forwardPlan: fftwf_plan
    private let inversePlan: fftwf_plan

    /// Plans both directions. Takes less than a millisecond, the first time longer, since it loads the library.
    ///
    /// - Parameter count: the samples, an even number.
    init(sampleCount count: Int = Self.sampleCount) throws(ConvolverError) {
      guard let library = unsafe FFTWLibrary.functions else { throw .libraryMissing }
      let samples = unsafe Self.allocate(count)
      let spectrum = unsafe Self.allocate(count + 2)
      let plans = unsafe FFTWLibrary.planner.withLock { _ in
        unsafe (
          drawbar_fftw_plan_forward(library, Int32(count), samples, spectrum),
          drawbar_fftw_plan_inverse(library, Int32(count), spectrum, samples)
        )
      }
      guard let forwardPlan = unsafe plans.0, let inversePlan = unsafe plans.1 else {
        unsafe samples.deallocate()
        unsafe spectrum.deallocate()
        throw .libraryMissing
      }
      unsafe self.library = library
      unsafe self.samples = samples
      unsafe self.spectrum = spectrum
      unsafe self.forwardPlan = forwardPlan
      unsafe self.inversePlan = inversePlan
    }

    deinit {
      FFTWLibrary.planner.withLock { _ in
        unsafe library.pointee.fftwf_destroy_plan(forwardPlan)
        unsafe library.pointee.fftwf_destroy_plan(inversePlan)
      }
      unsafe samples.deallocate()
      unsafe spectrum.deallocate()
    }

    /// Transforms the samples, whose array is then overwritten. Real-time: wait-free.
    @_noLocks
    func forward() { unsafe drawbar_fftw_execute(library, forwardPlan) }

    /// Transforms the spectrum, whose array is then overwritten. The result is multiplied by the number of samples.
    /// Real-time: wait-free.
    @_noLocks
    func inverse() { unsafe drawbar_fftw_execute(library, inversePlan) }
  #else
    init(sampleCount: Int = 0) throws(ConvolverError) { throw .libraryMissing }

    @_noLocks
    func forward() {}

    @_noLocks
    func inverse() {}
  #endif

  /// Copies samples that do not overlap. Real-time: wait-free.
  @_noLocks
  static func copy(
    _ source: UnsafeMutablePointer<Float>, to target: UnsafeMutablePointer<Float>, count: Int
  ) {
    unsafe UnsafeMutableRawPointer(target).copyMemory(
      from: source, byteCount: count &* MemoryLayout<Float>.stride)
  }

  /// Returns memory that a vector instruction can read, set to 0.
  private static func allocate(_ count: Int) -> UnsafeMutablePointer<Float> {
    let bytes = UnsafeMutableRawPointer.allocate(
      byteCount: count * MemoryLayout<Float>.stride, alignment: 64)
    let floats = unsafe bytes.bindMemory(to: Float.self, capacity: count)
    unsafe floats.initialize(repeating: 0, count: count)
    return unsafe floats
  }
}
