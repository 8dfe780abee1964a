// SPDX-License-Identifier: MIT

internal import AudioModel
internal import Glibc
internal import Synchronization

/// The loudness of parts of 100 ms, from the render thread to a reader. Each is the weighted mean square of all
/// channels.
@safe
struct LoudnessParts: ~Copyable {
  /// The number of parts: 13 minutes.
  private static var capacity: Int { @_noLocks get { 8192 } }

  /// The K-weighting of each channel.
  let weighting: FilterBankShared
  private let partFrames = Atomic<Int>(1)
  private let padding0 = CacheLinePadding()
  private let values: UnsafeMutablePointer<Double>
  private let written = Atomic<UInt64>(0)
  private let lost = Atomic<UInt64>(0)
  private let padding1 = CacheLinePadding()
  private let read = Atomic<UInt64>(0)

  init(channels: Int) {
    weighting = FilterBankShared(channels: channels, sectionCapacity: 2)
    unsafe values = .allocate(capacity: Self.capacity)
    unsafe values.initialize(repeating: 0, count: Self.capacity)
  }

  deinit { unsafe values.deallocate() }

  // MARK: Control side, one thread at a time.

  func follow(sampleRate: Double) {
    partFrames.store(max(1, Int((sampleRate / 10).rounded())), ordering: .relaxed)
    weighting.publish(
      [BiquadCoefficients.loudnessWeighting(sampleRate: sampleRate)], mixSeconds: 0,
      sampleRate: sampleRate)
  }

  /// Calls a function with each part that was not read yet.
  ///
  /// - Returns: the number of parts lost so far because there was no room.
  func takeParts(_ body: (Double) -> Void) -> UInt64 {
    let end = written.load(ordering: .acquiring)
    var next = read.load(ordering: .relaxed)
    while next != end {
      unsafe body(values[Int(next % UInt64(Self.capacity))])
      next += 1
    }
    read.store(next, ordering: .releasing)
    return lost.load(ordering: .relaxed)
  }

  // MARK: Render thread, wait-free.

  var framesPerPart: Int { @_noLocks get { partFrames.load(ordering: .relaxed) } }

  @_noLocks
  func write(_ value: Double) {
    let next = written.load(ordering: .relaxed)
    if next &- read.load(ordering: .acquiring) >= UInt64(Self.capacity) { return lost.grow(by: 1) }
    unsafe values[Int(truncatingIfNeeded: next) & (Self.capacity &- 1)] = value
    written.store(next &+ 1, ordering: .releasing)
  }
}

extension BiquadCoefficients {
  /// Returns the K-weighting of ITU-R BS.1770-4 at a sample rate: a high shelf for the head, then a high-pass. At 48
  /// kHz these are the coefficients of its tables 1 and 2.
  static func loudnessWeighting(sampleRate: Double) -> [BiquadCoefficients] {
    // The analogue prototypes of these coefficients, with all digits.
    let (shelfQ, passQ) = (0.7071752369554196, 0.5003270373238773)
    let high = pow(10, 3.999843853973347 / 20)
    let middle = pow(high, 0.4996667741545416)
    // Below half the rate, also at very low rates.
    let k = tan(.pi * min(1681.974450955533 / sampleRate, 0.49))
    let a0 = 1 + k / shelfQ + k * k
    let shelf = BiquadCoefficients(
      b0: (high + middle * k / shelfQ + k * k) / a0, b1: 2 * (k * k - high) / a0,
      b2: (high - middle * k / shelfQ + k * k) / a0, a1: 2 * (k * k - 1) / a0,
      a2: (1 - k / shelfQ + k * k) / a0)
    let p = tan(.pi * min(38.13547087602444 / sampleRate, 0.49))
    let c0 = 1 + p / passQ + p * p
    let pass = BiquadCoefficients(
      b0: 1, b1: -2, b2: 1, a1: 2 * (p * p - 1) / c0, a2: (1 - p / passQ + p * p) / c0)
    return [shelf, pass]
  }
}

/// The render side of a graph's loudness tap. Owned by the render thread while an output runs.
@safe
struct LoudnessTapUnit: ~Copyable {
  private static var blockFrames: Int { @_noLocks get { FilterBank.blockFrames } }
  /// Larger samples are clamped to it.
  private static var largestSample: Float { @_noLocks get { 1e6 } }

  private let parts: UnsafeMutablePointer<LoudnessParts>
  private let channelCount: Int
  private var filters: FilterBank
  /// A block of each channel, filtered in place.
  private let blocks: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  /// The weight of each channel; `sums` has the sum of its squares in the present part.
  private let weights: UnsafeMutablePointer<Double>
  private let sums: UnsafeMutablePointer<Double>
  private var partFrames = 0
  /// The device frame after those that have been measured.
  private var nextFrame = UInt64.max

  init(weights channelWeights: [Double], parts: UnsafeMutablePointer<LoudnessParts>) {
    unsafe self.parts = unsafe parts
    channelCount = channelWeights.count
    filters = FilterBank(channels: channelCount, sectionCapacity: 2)
    unsafe blocks = .allocate(capacity: channelCount)
    unsafe weights = .allocate(capacity: channelCount)
    unsafe sums = .allocate(capacity: channelCount)
    unsafe sums.initialize(repeating: 0, count: channelCount)
    for channel in 0..<channelCount {
      let block = UnsafeMutablePointer<Float>.allocate(capacity: Self.blockFrames)
      unsafe block.initialize(repeating: 0, count: Self.blockFrames)
      unsafe blocks.initializeElement(at: channel, to: block)
      unsafe (weights + channel).initialize(to: channelWeights[channel])
    }
  }

  deinit {
    for channel in 0..<channelCount { unsafe blocks[channel].deallocate() }
    unsafe blocks.deallocate()
    unsafe weights.deallocate()
    unsafe sums.deallocate()
  }

  /// Measures a cycle's frames. Real-time: wait-free, render thread only.
  @_noLocks @inline(never)
  mutating func measure(
    _ buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, frameCount: Int,
    deviceFrame: UInt64
  ) {
    if deviceFrame == nextFrame {
      unsafe filters.takeSettings(parts.pointee.weighting)
    } else {
      // If the control side was writing a rate, the next cycle tries again.
      guard unsafe filters.begin(parts.pointee.weighting) else { return }
      beginPart()
    }
    nextFrame = deviceFrame &+ UInt64(frameCount)
    let framesPerPart = unsafe parts.pointee.framesPerPart
    var done = 0
    while done < frameCount {
      if partFrames >= framesPerPart { endPart() }
      let count = min(min(frameCount &- done, Self.blockFrames), framesPerPart &- partFrames)
      unsafe measureBlock(
        buffers, from: done, frameCount: count, deviceFrame: deviceFrame &+ UInt64(done))
      done = done &+ count
      partFrames = partFrames &+ count
    }
    if partFrames >= framesPerPart { endPart() }
  }

  @_noLocks
  private mutating func measureBlock(
    _ buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, from first: Int,
    frameCount: Int, deviceFrame: UInt64
  ) {
    let count = min(channelCount, buffers.count)
    for channel in 0..<count {
      let (samples, block) = unsafe (buffers[channel] + first, blocks[channel])
      for i in 0..<frameCount {
        let sample = unsafe samples[i]
        // NaN becomes silence.
        unsafe block[i] =
          sample.isFinite ? max(-Self.largestSample, min(Self.largestSample, sample)) : 0
      }
    }
    unsafe filters.apply(to: blocks, frameCount: frameCount, deviceFrame: deviceFrame)
    for channel in 0..<count {
      let block = unsafe blocks[channel]
      var sum = unsafe sums[channel]
      for i in 0..<frameCount { unsafe sum += Double(block[i]) * Double(block[i]) }
      unsafe sums[channel] = sum
    }
  }

  @_noLocks
  private mutating func endPart() {
    var total = 0.0
    for channel in 0..<channelCount { unsafe total += weights[channel] * sums[channel] }
    unsafe parts.pointee.write(total / Double(partFrames))
    beginPart()
  }

  @_noLocks
  private mutating func beginPart() {
    partFrames = 0
    unsafe sums.update(repeating: 0, count: channelCount)
  }
}
