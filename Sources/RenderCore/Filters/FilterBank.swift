// SPDX-License-Identifier: MIT

internal import Synchronization

/// A bank of filters for several channels. Bypass and changes of the sections crossfade.
///
/// Samples are converted to double precision once, pass all sections and are converted back.
///
/// A new curve takes 20 ms. The old and the new sections run in parallel, the new ones from rest: 1.25 ms without
/// output, then the sound fades from the old to the new ones. A curve that is set meanwhile waits; of several, the last
/// one is used. A channel whose curve does not change continues as without the change.
///
/// A channel with a flat curve keeps its samples to the bit. Once all sections are at rest, the bank does not filter
/// silence. No sample depends on how device frames are cut into cycles.
///
/// Real-time: every call but the initialiser is wait-free, render thread only.
@safe
struct FilterBank: ~Copyable {
  /// The most sections of a channel.
  static var maximumSections: Int { 64 }
  /// Seconds of a change from curve to curve.
  static var changeSeconds: Double { @_noLocks get { 0.02 } }
  /// Sections are flushed at device frames that are multiples of this. It is also the most frames filtered at once.
  static var blockFrames: Int { @_noLocks get { 64 } }

  private let channelCount: Int
  private var sections: BiquadCascade
  private var coming: BiquadCascade
  private var waiting: BiquadCascade
  /// Whether `waiting` has a complete curve whose change has not started.
  private var isWaiting = false
  private var isWaitingOn = false
  private var mixFrames = 1
  private var changeFrames = 1
  private var takenSequence: UInt64 = 0
  /// Frames that the new sections still run without output.
  private var warmUp = 0
  /// Frames of the crossfade after that.
  private var rampFrames = 1
  /// Frames that the sections still run without output, after the bank is turned on and before it fades in.
  private var mixWarmUp = 0
  /// True while the sections are at rest and the input is silent.
  private var isAtRest = false
  /// The weight of the new sections against the present ones.
  private var change = Gain(0)
  /// The weight of the filtered sound against the input.
  private var mix = Gain(0)
  /// Both gains in each frame of a block.
  private let changes: UnsafeMutablePointer<Double>
  private let mixes: UnsafeMutablePointer<Double>
  /// A block of a pair, filtered in place by the present and by the new sections.
  private let block: UnsafeMutablePointer<SIMD2<Double>>
  private let comingBlock: UnsafeMutablePointer<SIMD2<Double>>

  init(channels: Int, sectionCapacity: Int = FilterBank.maximumSections) {
    channelCount = channels
    sections = BiquadCascade(channels: channels, sectionCapacity: sectionCapacity)
    coming = BiquadCascade(channels: channels, sectionCapacity: sectionCapacity)
    waiting = BiquadCascade(channels: channels, sectionCapacity: sectionCapacity)
    unsafe changes = .allocate(capacity: Self.blockFrames)
    unsafe changes.initialize(repeating: 0, count: Self.blockFrames)
    unsafe mixes = .allocate(capacity: Self.blockFrames)
    unsafe mixes.initialize(repeating: 0, count: Self.blockFrames)
    unsafe block = .allocate(capacity: Self.blockFrames)
    unsafe block.initialize(repeating: SIMD2(repeating: 0), count: Self.blockFrames)
    unsafe comingBlock = .allocate(capacity: Self.blockFrames)
    unsafe comingBlock.initialize(repeating: SIMD2(repeating: 0), count: Self.blockFrames)
  }

  deinit {
    sections.deallocate()
    coming.deallocate()
    waiting.deallocate()
    unsafe changes.deallocate()
    unsafe mixes.deallocate()
    unsafe block.deallocate()
    unsafe comingBlock.deallocate()
  }

  private var isChanging: Bool { @_noLocks get { warmUp > 0 || !change.isStill } }

  /// True while samples do not change.
  var isOff: Bool { @_noLocks get { mixWarmUp == 0 && mix.isStill(at: 0) } }

  // MARK: Settings

  /// Applies new settings. Settings that are being written wait for the next cycle.
  @_noLocks
  mutating func takeSettings(_ shared: borrowing FilterBankShared) {
    if shared.sequence.load(ordering: .acquiring) == takenSequence { return }
    if readSettings(shared) { applySettings() }
  }

  /// Reads settings without applying them, for a caller that reads other settings together with them.
  ///
  /// - Returns: false if the control side was writing them. Read them again in the next cycle.
  @_noLocks
  mutating func readSettings(_ shared: borrowing FilterBankShared) -> Bool {
    let before = shared.sequence.load(ordering: .acquiring)
    if before & 1 == 1 { return false }
    isWaiting = false
    shared.read(into: waiting)
    isWaitingOn = shared.isOn
    mixFrames = shared.mixFrames
    changeFrames = shared.changeFrames
    guard shared.sequence.load(ordering: .relaxed) == before else { return false }
    takenSequence = before
    return true
  }

  /// Applies the settings that were read last.
  @_noLocks
  mutating func applySettings() {
    isWaiting = true
    if isOff {
      isWaiting = false
      swap(&sections, &waiting)
      sections.rest()
      if isWaitingOn { mixWarmUp = min(Self.warmUp(changeFrames), mixFrames / 4) }
    } else if !isWaitingOn {
      mixWarmUp = 0
    }
    if mixWarmUp == 0 { mix.go(to: isWaitingOn ? 1 : 0, frames: mixFrames) }
    if isOff {
      reset()
    } else {
      beginChange()
    }
  }

  // MARK: Frames

  /// Filters frames of every channel in place.
  ///
  /// - Parameter deviceFrame: the number of the first of these frames.
  @_noLocks
  mutating func apply(
    to channels: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, frameCount: Int,
    deviceFrame: UInt64
  ) {
    var done = 0
    while done < frameCount, !isOff {
      let frame = Int(truncatingIfNeeded: deviceFrame) &+ done
      var count = Self.blockFrames &- (frame & (Self.blockFrames &- 1))
      if count > frameCount &- done { count = frameCount &- done }
      if !mix.isStill, count > mix.framesLeft { count = mix.framesLeft }
      if !change.isStill, count > change.framesLeft { count = change.framesLeft }
      if warmUp > 0, count > warmUp { count = warmUp }
      if mixWarmUp > 0, count > mixWarmUp { count = mixWarmUp }
      if isAtRest {
        isAtRest = unsafe staysAtRest(channels, offset: done, frameCount: count)
      }
      if !isAtRest { unsafe filterBlock(to: channels, offset: done, frameCount: count) }
      done = done &+ count
      // Before the flush: a change that ends here makes the new sections the present ones.
      advance(by: count)
      if !isAtRest, (frame &+ count) & (Self.blockFrames &- 1) == 0 {
        isAtRest = sections.flush()
        if isChanging { _ = coming.flush() }
      }
    }
  }

  /// Returns whether a bank at rest stays at rest: no gain ramps and the input is silent.
  @_noLocks
  private func staysAtRest(
    _ channels: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, offset: Int,
    frameCount: Int
  ) -> Bool {
    if isChanging || !mix.isStill || mixWarmUp > 0 { return false }
    for channel in 0..<channels.count
    where unsafe !(channels[channel] + offset).isSilent(frameCount) {
      return false
    }
    return true
  }

  /// Counts a block's frames, and starts and ends changes that are due.
  @_noLocks
  private mutating func advance(by frames: Int) {
    if isOff { return reset() }
    if mixWarmUp > 0 {
      mixWarmUp = mixWarmUp &- frames
      if mixWarmUp == 0 { mix.go(to: 1, frames: mixFrames) }
    }
    if warmUp > 0 {
      warmUp = warmUp &- frames
      if warmUp == 0 { change.go(to: 1, frames: rampFrames) }
    } else if change.isStill(at: 1) {
      endChange()
    }
  }

  /// Filters a block in which no gain ends.
  @_noLocks
  private mutating func filterBlock(
    to channels: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, offset: Int,
    frameCount: Int
  ) {
    let (isChanging, isMixing) = (isChanging, !mix.isStill)
    if !change.isStill { unsafe change.advance(through: changes, frameCount: frameCount) }
    if isMixing { unsafe mix.advance(through: mixes, frameCount: frameCount) }
    for pair in 0..<sections.pairCount {
      let first = 2 &* pair
      let hasSecond = first &+ 1 < channelCount
      let filtersFirst = filters(first, isChanging)
      let filtersSecond = hasSecond && filters(first &+ 1, isChanging)
      if !filtersFirst && !filtersSecond { continue }
      let left = unsafe channels[first] + offset
      let right = unsafe hasSecond ? channels[first &+ 1] + offset : left
      unsafe load(left, hasSecond ? right : nil, frameCount: frameCount)
      if isChanging {
        changePair(pair, frameCount: frameCount, isWarmingUp: warmUp > 0)
      } else {
        unsafe sections.run(pair: pair, block, frameCount: frameCount)
      }
      if mixWarmUp > 0 { continue }
      if isMixing {
        if filtersFirst { unsafe storeMixed(left, lane: 0, frameCount: frameCount) }
        if filtersSecond { unsafe storeMixed(right, lane: 1, frameCount: frameCount) }
      } else if filtersFirst && filtersSecond {
        for i in 0..<frameCount {
          unsafe left[i] = Float(block[i].x)
          unsafe right[i] = Float(block[i].y)
        }
      } else if filtersFirst {
        for i in 0..<frameCount { unsafe left[i] = Float(block[i].x) }
      } else {
        for i in 0..<frameCount { unsafe right[i] = Float(block[i].y) }
      }
    }
  }

  /// Returns whether any sample of a channel changes.
  @_noLocks
  private func filters(_ channel: Int, _ isChanging: Bool) -> Bool {
    sections.filters(channel: channel) || isChanging && coming.filters(channel: channel)
  }

  @_noLocks
  private func load(
    _ left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>?, frameCount: Int
  ) {
    if let right = unsafe right {
      for i in 0..<frameCount { unsafe block[i] = SIMD2(Double(left[i]), Double(right[i])) }
    } else {
      for i in 0..<frameCount { unsafe block[i] = SIMD2(Double(left[i]), 0) }
    }
  }

  /// Filters a block of a pair during a change to another curve.
  @_noLocks
  private func changePair(_ pair: Int, frameCount: Int, isWarmingUp: Bool) {
    for i in 0..<frameCount { unsafe comingBlock[i] = block[i] }
    unsafe sections.run(pair: pair, block, frameCount: frameCount)
    unsafe coming.run(pair: pair, comingBlock, frameCount: frameCount)
    if isWarmingUp { return }
    for i in 0..<frameCount {
      let (old, new) = unsafe (block[i], comingBlock[i])
      unsafe block[i] = old + changes[i] * (new - old)
    }
  }

  @_noLocks
  private func storeMixed(_ samples: UnsafeMutablePointer<Float>, lane: Int, frameCount: Int) {
    for i in 0..<frameCount {
      let x = unsafe Double(samples[i])
      let y = unsafe lane == 0 ? block[i].x : block[i].y
      unsafe samples[i] = Float(x + mixes[i] * (y - x))
    }
  }

  // MARK: Changes

  @_noLocks
  private mutating func beginChange() {
    guard isWaiting, !isChanging else { return }
    isWaiting = false
    if waiting.hasSameCoefficients(as: sections) { return }
    swap(&coming, &waiting)
    coming.begin(after: sections)
    warmUp = Self.warmUp(changeFrames)
    rampFrames = changeFrames &- warmUp
    if warmUp == 0 { change.go(to: 1, frames: rampFrames) }
  }

  /// Returns the part of a change in which the new sections run without output. The onset of a filter from rest rings
  /// at the filter's frequency: at 16 kHz that is audible even at the first weights of a fade.
  @_noLocks
  private static func warmUp(_ changeFrames: Int) -> Int { changeFrames / 16 }

  @_noLocks
  private mutating func endChange() {
    swap(&sections, &coming)
    change.jump(to: 0)
    beginChange()
  }

  /// Starts from rest with the latest settings, without a fade. For the first frame, and after frames that the bank has
  /// not filtered.
  ///
  /// - Returns: false if the control side was writing settings. The previous ones stay.
  @_noLocks
  mutating func begin(_ shared: borrowing FilterBankShared) -> Bool {
    mixWarmUp = 0
    reset()
    guard readSettings(shared) else { return false }
    isWaiting = false
    swap(&sections, &waiting)
    sections.rest()
    mix.jump(to: isWaitingOn ? 1 : 0)
    return true
  }

  /// Clears all state after the bank has faded out.
  @_noLocks
  private mutating func reset() {
    warmUp = 0
    change.jump(to: 0)
    sections.rest()
  }
}
