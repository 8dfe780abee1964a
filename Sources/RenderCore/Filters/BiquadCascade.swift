// SPDX-License-Identifier: MIT

internal import AudioModel

/// The sections of all channels, in pairs of channels. If the number of channels is odd, the second lane of the last
/// pair filters silence.
///
/// It refers to memory that its owner frees with ``deallocate()``, so two cascades can be swapped without a copy.
///
/// Real-time: every call but ``init(channels:sectionCapacity:)`` and ``deallocate()`` is wait-free, render thread only.
@safe
struct BiquadCascade: BitwiseCopyable {
  private let channelCount: Int
  private let sectionCapacity: Int
  /// The sections of each pair, contiguous.
  private let sections: UnsafeMutablePointer<BiquadPair>
  /// The number of sections of each channel, and one more count for the lane without a channel.
  private let counts: UnsafeMutablePointer<Int>

  init(channels: Int, sectionCapacity: Int) {
    channelCount = channels
    self.sectionCapacity = sectionCapacity
    let pairs = (channels + 1) / 2
    unsafe sections = .allocate(capacity: pairs * sectionCapacity)
    unsafe sections.initialize(repeating: BiquadPair(), count: pairs * sectionCapacity)
    unsafe counts = .allocate(capacity: 2 * pairs)
    unsafe counts.initialize(repeating: 0, count: 2 * pairs)
  }

  func deallocate() {
    unsafe sections.deallocate()
    unsafe counts.deallocate()
  }

  var pairCount: Int { @_noLocks get { (channelCount &+ 1) / 2 } }

  /// Returns false for a channel whose samples do not change.
  @_noLocks
  func filters(channel: Int) -> Bool { unsafe counts[channel] > 0 }

  /// Returns the number of sections that a pair of channels passes.
  @_noLocks
  func sectionCount(pair: Int) -> Int {
    let (first, second) = unsafe (counts[2 &* pair], counts[2 &* pair &+ 1])
    return first > second ? first : second
  }

  // MARK: Coefficients

  @_noLocks
  func set(_ coefficients: BiquadCoefficients, channel: Int, section: Int) {
    unsafe sections[channel / 2 &* sectionCapacity &+ section].set(coefficients, lane: channel & 1)
  }

  @_noLocks
  func setCount(_ count: Int, channel: Int) {
    unsafe counts[channel] = count
  }

  /// Adds neutral sections to a channel that has fewer than the other one of its pair. Call it after all counts and
  /// coefficients are set.
  @_noLocks
  func fill() {
    for channel in 0..<2 &* pairCount {
      for section in unsafe counts[channel]..<sectionCount(pair: channel / 2) {
        set(
          BiquadCoefficients(b0: 1, b1: 0, b2: 0, a1: 0, a2: 0), channel: channel, section: section)
      }
    }
  }

  @_noLocks
  func hasSameCoefficients(as other: BiquadCascade) -> Bool {
    for channel in 0..<channelCount
    where !hasSameCoefficients(as: other, channel: channel) {
      return false
    }
    return true
  }

  @_noLocks
  private func hasSameCoefficients(as other: BiquadCascade, channel: Int) -> Bool {
    let count = unsafe counts[channel]
    if unsafe count != other.counts[channel] { return false }
    let first = channel / 2 &* sectionCapacity
    for section in first..<first &+ count
    where unsafe !sections[section].hasCoefficients(of: other.sections[section], lane: channel & 1)
    {
      return false
    }
    return true
  }

  // MARK: State

  /// Starts from rest. Channels that have the same curve in another cascade continue from its state.
  @_noLocks
  func begin(after other: BiquadCascade) {
    rest()
    for channel in 0..<channelCount where hasSameCoefficients(as: other, channel: channel) {
      let first = channel / 2 &* sectionCapacity
      for section in unsafe first..<first &+ counts[channel] {
        unsafe sections[section].keep(other.sections[section].state, lane: channel & 1)
      }
    }
  }

  /// Clears the state of all sections.
  @_noLocks
  func rest() {
    for pair in 0..<pairCount {
      for section in 0..<sectionCount(pair: pair) {
        unsafe sections[pair &* sectionCapacity &+ section].rest()
      }
    }
  }

  /// - Returns: whether no state of earlier sound remains.
  @_noLocks
  func flush() -> Bool {
    var isAtRest = true
    for pair in 0..<pairCount {
      for section in 0..<sectionCount(pair: pair) {
        let index = pair &* sectionCapacity &+ section
        unsafe sections[index].flush()
        if unsafe !sections[index].state.isAtRest { isAtRest = false }
      }
    }
    return isAtRest
  }

  /// Filters frames of a pair in place.
  ///
  /// Several sections run in one pass over the frames, so that one computes while another waits for its result. At most
  /// four run in a pass, because 16 registers hold no more; the passes are of nearly equal lengths.
  @_noLocks
  func run(pair: Int, _ frames: UnsafeMutablePointer<SIMD2<Double>>, frameCount: Int) {
    var next = unsafe sections + pair &* sectionCapacity
    var left = sectionCount(pair: pair)
    var passes = (left &+ 3) / 4
    while passes > 0 {
      let count = (left &+ passes &- 1) / passes
      switch count {
      case 4: unsafe BiquadPass.four(next, frames, frameCount)
      case 3: unsafe BiquadPass.three(next, frames, frameCount)
      case 2: unsafe BiquadPass.two(next, frames, frameCount)
      default: unsafe BiquadPass.one(next, frames, frameCount)
      }
      unsafe next += count
      left = left &- count
      passes = passes &- 1
    }
  }
}
