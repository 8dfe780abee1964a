// SPDX-License-Identifier: MIT

/// One pass over the frames of a pair of channels through one to four contiguous sections. Each frame has the same
/// arithmetic in every pass.
enum BiquadPass {
  @_noLocks @inline(never)
  static func one(
    _ sections: UnsafeMutablePointer<BiquadPair>, _ frames: UnsafeMutablePointer<SIMD2<Double>>,
    _ frameCount: Int
  ) {
    var first = unsafe sections.pointee.state
    for i in 0..<frameCount { unsafe frames[i] = first.next(frames[i], sections) }
    unsafe sections.pointee.keep(first)
  }

  @_noLocks @inline(never)
  static func two(
    _ sections: UnsafeMutablePointer<BiquadPair>, _ frames: UnsafeMutablePointer<SIMD2<Double>>,
    _ frameCount: Int
  ) {
    var (first, second) = unsafe (sections[0].state, sections[1].state)
    for i in 0..<frameCount {
      let x = unsafe first.next(frames[i], sections)
      unsafe frames[i] = second.next(x, sections + 1)
    }
    unsafe sections[0].keep(first)
    unsafe sections[1].keep(second)
  }

  @_noLocks @inline(never)
  static func three(
    _ sections: UnsafeMutablePointer<BiquadPair>, _ frames: UnsafeMutablePointer<SIMD2<Double>>,
    _ frameCount: Int
  ) {
    var (first, second) = unsafe (sections[0].state, sections[1].state)
    var third = unsafe sections[2].state
    for i in 0..<frameCount {
      var x = unsafe first.next(frames[i], sections)
      x = unsafe second.next(x, sections + 1)
      unsafe frames[i] = third.next(x, sections + 2)
    }
    unsafe sections[0].keep(first)
    unsafe sections[1].keep(second)
    unsafe sections[2].keep(third)
  }

  @_noLocks @inline(never)
  static func four(
    _ sections: UnsafeMutablePointer<BiquadPair>, _ frames: UnsafeMutablePointer<SIMD2<Double>>,
    _ frameCount: Int
  ) {
    var (first, second) = unsafe (sections[0].state, sections[1].state)
    var (third, fourth) = unsafe (sections[2].state, sections[3].state)
    for i in 0..<frameCount {
      var x = unsafe first.next(frames[i], sections)
      x = unsafe second.next(x, sections + 1)
      x = unsafe third.next(x, sections + 2)
      unsafe frames[i] = fourth.next(x, sections + 3)
    }
    unsafe sections[0].keep(first)
    unsafe sections[1].keep(second)
    unsafe sections[2].keep(third)
    unsafe sections[3].keep(fourth)
  }
}
