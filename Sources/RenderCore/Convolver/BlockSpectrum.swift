// SPDX-License-Identifier: MIT

internal import CVectors

/// A spectrum in the layout that the products read: groups of four bins, the real parts in one vector, the imaginary
/// parts in the next one. Three bins of the last group are 0.
///
/// Real-time: every call but ``allocate(count:)`` is wait-free.
@safe
enum BlockSpectrum {
  typealias Pointer = UnsafeMutablePointer<SIMD4<Float>>

  private static var groupCount: Int { @_noLocks get { 65 } }
  static var vectorCount: Int { @_noLocks get { 130 } }

  /// Smaller parts become 0: their products would be denormal and slow.
  private static var smallest: Float { @_noLocks get { 1e-18 } }

  /// Returns `count` contiguous spectra that are 0.
  static func allocate(count: Int) -> Pointer {
    let vectors = count * vectorCount
    let bytes = UnsafeMutableRawPointer.allocate(
      byteCount: vectors * MemoryLayout<SIMD4<Float>>.stride, alignment: 64)
    let spectra = unsafe bytes.bindMemory(to: SIMD4<Float>.self, capacity: vectors)
    unsafe spectra.initialize(repeating: SIMD4(repeating: 0), count: vectors)
    return unsafe spectra
  }

  @_noLocks
  static func clear(_ spectra: Pointer, count: Int) {
    unsafe spectra.update(repeating: SIMD4(repeating: 0), count: count &* vectorCount)
  }

  /// Copies a transform's spectrum to the layout of this type.
  @_noLocks
  static func pack(_ bins: UnsafeMutablePointer<Float>, scale: Float = 1, into spectrum: Pointer) {
    for group in 0..<groupCount &- 1 {
      let place = unsafe bins + 8 &* group
      unsafe spectrum[2 &* group] = kept(
        SIMD4(place[0], place[2], place[4], place[6]), scale: scale)
      unsafe spectrum[2 &* group &+ 1] = kept(
        SIMD4(place[1], place[3], place[5], place[7]), scale: scale)
    }
    let last = unsafe bins + 8 &* (groupCount &- 1)
    unsafe spectrum[vectorCount &- 2] = kept(SIMD4(last[0], 0, 0, 0), scale: scale)
    unsafe spectrum[vectorCount &- 1] = SIMD4(repeating: 0)
  }

  @_noLocks @inline(__always)
  private static func kept(_ parts: SIMD4<Float>, scale: Float) -> SIMD4<Float> {
    let scaled = parts * scale
    let square = scaled * scaled
    // The comparisons are false for NaN, which can result from samples near the largest number.
    let isKept = (square .> smallest * smallest) .& (square .< .infinity)
    return SIMD4(repeating: 0).replacing(with: scaled, where: isKept)
  }

  /// Copies a spectrum to a transform's layout.
  @_noLocks
  static func unpack(_ spectrum: Pointer, into bins: UnsafeMutablePointer<Float>) {
    for group in 0..<groupCount &- 1 {
      let place = unsafe bins + 8 &* group
      let real = unsafe spectrum[2 &* group]
      let imaginary = unsafe spectrum[2 &* group &+ 1]
      for lane in 0..<4 {
        unsafe place[2 &* lane] = real[lane]
        unsafe place[2 &* lane &+ 1] = imaginary[lane]
      }
    }
    unsafe bins[8 &* (groupCount &- 1)] = spectrum[vectorCount &- 2].x
    unsafe bins[8 &* (groupCount &- 1) &+ 1] = 0
  }

  /// Adds the product of two spectra to a sum.
  @_noLocks @inline(never)
  static func addProduct(to sum: Pointer, _ x: Pointer, _ h: Pointer) {
    for group in 0..<groupCount {
      let at = 2 &* group
      var (real, imaginary) = unsafe (sum[at], sum[at &+ 1])
      unsafe add(&real, &imaginary, x + at, h + at)
      unsafe sum[at] = real
      unsafe sum[at &+ 1] = imaginary
    }
  }

  /// Adds four products to a sum, one after the other. The second factors are contiguous.
  @_noLocks @inline(never)
  static func addProducts(
    to sum: Pointer, _ x: (Pointer, Pointer, Pointer, Pointer), _ h: Pointer
  ) {
    for group in 0..<groupCount {
      let at = 2 &* group
      var (real, imaginary) = unsafe (sum[at], sum[at &+ 1])
      unsafe add(&real, &imaginary, x.0 + at, h + at)
      unsafe add(&real, &imaginary, x.1 + at, h + (at &+ vectorCount))
      unsafe add(&real, &imaginary, x.2 + at, h + (at &+ 2 &* vectorCount))
      unsafe add(&real, &imaginary, x.3 + at, h + (at &+ 3 &* vectorCount))
      unsafe sum[at] = real
      unsafe sum[at &+ 1] = imaginary
    }
  }

  @_noLocks @inline(__always)
  private static func add(
    _ real: inout SIMD4<Float>, _ imaginary: inout SIMD4<Float>, _ x: Pointer, _ h: Pointer
  ) {
    let (xr, xi) = unsafe (x[0], x[1])
    let (hr, hi) = unsafe (h[0], h[1])
    real = drawbar_quad_add(
      real, drawbar_quad_subtract(drawbar_quad_multiply(xr, hr), drawbar_quad_multiply(xi, hi)))
    imaginary = drawbar_quad_add(
      imaginary, drawbar_quad_add(drawbar_quad_multiply(xr, hi), drawbar_quad_multiply(xi, hr)))
  }
}
