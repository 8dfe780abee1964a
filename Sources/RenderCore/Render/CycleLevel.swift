// SPDX-License-Identifier: MIT

/// The level of one channel in one cycle.
struct CycleLevel {
  /// NaN if a sample is NaN.
  let sumOfSquares: Double
  /// The largest magnitude; NaN is ignored.
  let peak: Float

  /// Frames whose squares are summed in single precision, four at once.
  private static var blockFrames: Int { @_noLocks get { 64 } }
  /// A factor that keeps the squares of quiet samples from becoming denormal, which costs a hundred times as much.
  private static var scale: Float { @_noLocks get { 0x1p40 } }

  /// Measures a channel. Real-time: wait-free.
  @_noLocks
  init(of samples: UnsafePointer<Float>, frameCount: Int) {
    let scale = SIMD4<Float>(repeating: Self.scale)
    var sum = 0.0
    var peaks = SIMD4<Float>()
    var first = 0
    while first &+ 4 <= frameCount {
      let rest = (frameCount &- first) & ~3
      let end = first &+ (rest < Self.blockFrames ? rest : Self.blockFrames)
      var squares = SIMD4<Float>()
      while first < end {
        let frames = unsafe UnsafeRawPointer(samples + first).loadUnaligned(as: SIMD4<Float>.self)
        let scaled = frames * scale
        squares += scaled * scaled
        let magnitudes = unsafe unsafeBitCast(
          unsafeBitCast(frames, to: SIMD4<UInt32>.self) & 0x7FFF_FFFF, to: SIMD4<Float>.self)
        peaks.replace(with: magnitudes, where: magnitudes .> peaks)
        first = first &+ 4
      }
      sum += Double(squares[0]) + Double(squares[1]) + Double(squares[2]) + Double(squares[3])
    }
    var peak = peaks[0]
    for lane in 1..<4 where peaks[lane] > peak { peak = peaks[lane] }
    while first < frameCount {
      let scaled = unsafe samples[first] * Self.scale
      sum += Double(scaled * scaled)
      if unsafe samples[first].magnitude > peak { peak = unsafe samples[first].magnitude }
      first = first &+ 1
    }
    sumOfSquares = sum * 0x1p-80
    self.peak = peak
  }
}
