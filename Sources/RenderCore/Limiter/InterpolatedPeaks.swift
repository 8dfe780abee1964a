// SPDX-License-Identifier: MIT

/// A meter of the true peak of several channels by ITU-R BS.1770-4, annex 2: the largest magnitude of the curve through
/// the samples, at four points a frame.
///
/// Above 0.45 of the sample rate the curve depends on the converter's filter. So there are two curves, one of a steep
/// filter and one of a gentle filter, and the larger peak is used. Between the points of a curve, the peak is that of a
/// parabola: the points alone are up to 0.7 dB below it.
///
/// Real-time: every call but the initialiser is wait-free, render thread only.
@safe
struct InterpolatedPeaks: ~Copyable {
  /// The most frames of a call.
  static var blockFrames: Int { @_noLocks get { 64 } }
  /// The frames by which a peak is later than its samples.
  static var delayFrames: Int { @_noLocks get { 67 } }
  /// Larger samples are clamped to it, so that no square overflows.
  private static var largestSample: Float { @_noLocks get { 1e15 } }

  // Frames and points before those of a call.
  private static var pastFrames: Int { @_noLocks get { 127 } }
  private static var pastPoints: Int { @_noLocks get { 11 } }

  private static var sampleCapacity: Int { @_noLocks get { pastFrames &+ blockFrames &+ 8 } }
  private static var pointCapacity: Int { @_noLocks get { pastPoints &+ 2 &* blockFrames &+ 20 } }
  private static var middleCapacity: Int { @_noLocks get { 2 &* blockFrames &+ 9 } }

  private let channelCount: Int
  /// For each channel, its samples, and two points a frame and the points between these for each curve.
  private let memory: UnsafeMutablePointer<Float>
  private static var channelStride: Int {
    @_noLocks get { sampleCapacity &+ 2 &* (pointCapacity &+ middleCapacity) }
  }
  private let even: UnsafeMutablePointer<Float>
  private let odd: UnsafeMutablePointer<Float>
  private let steep = FIRCoefficients(count: 128, cutoff: 1, offset: 0.5)
  private let gentle = FIRCoefficients(count: 48, cutoff: 0.94, offset: 0.5)
  private let gentleOnSamples = FIRCoefficients(count: 49, cutoff: 0.94, offset: 0)
  private let second = FIRCoefficients(count: 12, cutoff: 1, offset: 0.5)

  init(channels: Int) {
    channelCount = channels
    let count = channels * Self.channelStride
    unsafe memory = .allocate(capacity: count)
    unsafe memory.initialize(repeating: 0, count: count)
    unsafe even = .allocate(capacity: Self.blockFrames + 8)
    unsafe even.initialize(repeating: 0, count: Self.blockFrames + 8)
    unsafe odd = .allocate(capacity: Self.blockFrames + 8)
    unsafe odd.initialize(repeating: 0, count: Self.blockFrames + 8)
  }

  deinit {
    unsafe memory.deallocate()
    unsafe even.deallocate()
    unsafe odd.deallocate()
  }

  /// Discards all samples.
  @_noLocks
  func reset() {
    unsafe memory.update(repeating: 0, count: channelCount &* Self.channelStride)
  }

  /// Raises the peak of each frame to that of a channel, ``delayFrames`` before.
  ///
  /// - Parameters:
  ///   - samples: finite samples, at most ``blockFrames``.
  ///   - floor: peaks below it need not be exact.
  @_noLocks
  func raise(
    _ peaks: UnsafeMutablePointer<Float>, toThoseOf samples: UnsafePointer<Float>, channel: Int,
    frameCount: Int, floor: Float
  ) {
    let past = unsafe memory + channel &* Self.channelStride
    for i in 0..<frameCount {
      unsafe past[Self.pastFrames &+ i] = max(
        -Self.largestSample, min(Self.largestSample, samples[i]))
    }
    let points = unsafe past + Self.sampleCapacity
    let gentlePoints = unsafe points + (Self.pointCapacity &+ Self.middleCapacity)
    // The point belongs to the frame 64 frames before, half the length of the steep filter.
    unsafe steep.filter(past, into: odd, count: frameCount)
    unsafe raise(peaks, frameCount, even: past + 63, points, floor: floor)
    unsafe gentle.filter(past + 40, into: odd, count: frameCount)
    unsafe gentleOnSamples.filter(past + 39, into: even, count: frameCount)
    unsafe raise(peaks, frameCount, even: even, gentlePoints, floor: floor)
    unsafe Self.move(past + frameCount, to: past, count: Self.pastFrames)
  }

  /// Raises the peak of each frame to the peak of a curve.
  ///
  /// - Parameters:
  ///   - even: the points on the samples. Those between them are in ``odd``.
  ///   - points: the points before them, with room for them and for the points between all of them.
  @_noLocks
  private func raise(
    _ peaks: UnsafeMutablePointer<Float>, _ frameCount: Int, even: UnsafePointer<Float>,
    _ points: UnsafeMutablePointer<Float>, floor: Float
  ) {
    for i in 0..<frameCount {
      unsafe points[Self.pastPoints &+ 2 &* i] = even[i]
      unsafe points[Self.pastPoints &+ 2 &* i &+ 1] = odd[i]
    }
    let middles = unsafe points + Self.pointCapacity
    unsafe second.filter(points, into: middles + 1, count: 2 &* frameCount)
    for i in 0..<frameCount {
      let (p, m) = unsafe (points + (2 &* i &+ 5), middles + 2 &* i)
      let largest = unsafe max(
        max(p[0].magnitude, p[1].magnitude), max(m[1].magnitude, m[2].magnitude))
      var peak = unsafe max(peaks[i], largest)
      // A parabola is at most 1/4 above its highest point.
      if largest * 1.25 > peak, largest * 1.25 > floor {
        peak = unsafe max(
          peak,
          max(
            max(Self.peak(m[0], p[0], m[1]), Self.peak(p[0], m[1], p[1])),
            max(Self.peak(m[1], p[1], m[2]), Self.peak(p[1], m[2], p[2]))))
      }
      unsafe peaks[i] = peak
    }
    unsafe Self.move(points + 2 &* frameCount, to: points, count: Self.pastPoints)
    unsafe middles[0] = middles[2 &* frameCount]
  }

  @_noLocks
  private static func move(
    _ source: UnsafeMutablePointer<Float>, to target: UnsafeMutablePointer<Float>, count: Int
  ) {
    unsafe UnsafeMutableRawPointer(target).copyMemory(
      from: source, byteCount: count &* MemoryLayout<Float>.stride)
  }

  /// Returns the magnitude of the peak of the parabola through three points; 0 unless the second one is the highest.
  @_noLocks
  private static func peak(_ before: Float, _ point: Float, _ after: Float) -> Float {
    guard point.magnitude >= before.magnitude, point.magnitude >= after.magnitude else { return 0 }
    let bend = (before + after) * 0.5 - point
    if bend == 0 { return point.magnitude }
    let slope = (after - before) * 0.5
    return (point - slope * slope / (4 * bend)).magnitude
  }
}
