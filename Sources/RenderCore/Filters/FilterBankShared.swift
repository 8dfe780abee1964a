// SPDX-License-Identifier: MIT

internal import AudioModel
internal import Synchronization

/// The settings of a filter bank, published to the render thread. The latest ones win.
///
/// All memory is allocated here, once: neither side allocates for a change.
@safe
struct FilterBankShared: ~Copyable {
  let channelCount: Int
  let sectionCapacity: Int

  // Written by the control side under a sequence lock (odd during a write). The render thread never waits: after an
  // incomplete read it tries again in the next cycle.
  let sequence = Atomic<UInt64>(0)
  /// Each holds the bits of a `Double`: five for a section, the sections of a curve contiguous.
  private let coefficients: UnsafeMutablePointer<Atomic<UInt64>>
  /// The number of sections of each curve.
  private let counts: UnsafeMutablePointer<Atomic<Int>>
  /// The number of curves: 1 for all channels, or one for each.
  private let curves = Atomic<Int>(1)
  private let turnsOn = Atomic<Bool>(false)
  private let mix = Atomic<Int>(1)
  private let change = Atomic<Int>(1)

  /// - Parameter sectionCapacity: the most sections of a channel; further ones are dropped.
  init(channels: Int, sectionCapacity: Int = FilterBank.maximumSections) {
    channelCount = channels
    self.sectionCapacity = sectionCapacity
    let words = channels * sectionCapacity * 5
    unsafe coefficients = .allocate(capacity: words)
    for index in 0..<words { unsafe (coefficients + index).initialize(to: Atomic(0)) }
    unsafe counts = .allocate(capacity: channels)
    for index in 0..<channels { unsafe (counts + index).initialize(to: Atomic(0)) }
  }

  deinit {
    unsafe coefficients.deinitialize(count: channelCount * sectionCapacity * 5)
    unsafe coefficients.deallocate()
    unsafe counts.deinitialize(count: channelCount)
    unsafe counts.deallocate()
  }

  /// Publishes settings. One thread at a time; not for the render thread.
  ///
  /// - Parameters:
  ///   - published: the sections of one curve for all channels, or of one for each; nil turns the bank off and keeps
  ///     its curves. Sections that change nothing are left out.
  ///   - mixSeconds: the length of the bypass fade.
  func publish(
    _ published: [[BiquadCoefficients]]?, mixSeconds: Double, sampleRate: Double
  ) {
    let sections = published?.map { curve in curve.filter { !$0.changesNothing } }
    precondition(
      sections == nil || sections?.count == 1 || sections?.count == channelCount,
      "one curve for all channels or one for each")
    let before = sequence.load(ordering: .relaxed)
    sequence.store(before &+ 1, ordering: .relaxed)
    // Releasing stores, so that a reader that sees one of these also sees the odd sequence.
    if let sections {
      for (curve, sections) in sections.prefix(channelCount).enumerated() {
        store(sections.prefix(sectionCapacity), curve: curve)
      }
      curves.store(sections.count, ordering: .releasing)
    }
    turnsOn.store(sections != nil, ordering: .releasing)
    mix.store(Gain.frames(mixSeconds, at: sampleRate), ordering: .releasing)
    change.store(Gain.frames(FilterBank.changeSeconds, at: sampleRate), ordering: .releasing)
    sequence.store(before &+ 2, ordering: .releasing)
  }

  private func store(_ sections: ArraySlice<BiquadCoefficients>, curve: Int) {
    for (section, c) in sections.enumerated() {
      let first = unsafe coefficients + (curve * sectionCapacity + section) * 5
      for (index, value) in [c.b0, c.b1, c.b2, c.a1, c.a2].enumerated() {
        unsafe (first + index).pointee.store(value.bitPattern, ordering: .releasing)
      }
    }
    unsafe (counts + curve).pointee.store(sections.count, ordering: .releasing)
  }

  // MARK: For the render thread.

  var isOn: Bool { @_noLocks get { turnsOn.load(ordering: .acquiring) } }

  /// Frames of the bypass fade.
  var mixFrames: Int { @_noLocks get { mix.load(ordering: .acquiring) } }

  /// Frames of a change from curve to curve.
  var changeFrames: Int { @_noLocks get { change.load(ordering: .acquiring) } }

  /// Reads the sections of all channels. They belong to one publication only if the sequence is even before and
  /// unchanged afterwards.
  @_noLocks
  func read(into cascade: BiquadCascade) {
    let isForAll = curves.load(ordering: .acquiring) == 1
    for channel in 0..<channelCount {
      let curve = isForAll ? 0 : channel
      let count = unsafe (counts + curve).pointee.load(ordering: .acquiring)
      for section in 0..<count {
        let c = unsafe coefficients + (curve &* sectionCapacity &+ section) &* 5
        cascade.set(
          unsafe BiquadCoefficients(
            b0: value(c), b1: value(c + 1), b2: value(c + 2), a1: value(c + 3), a2: value(c + 4)),
          channel: channel, section: section)
      }
      cascade.setCount(count, channel: channel)
    }
    cascade.fill()
  }

  @_noLocks
  private func value(_ word: UnsafeMutablePointer<Atomic<UInt64>>) -> Double {
    unsafe Double(bitPattern: word.pointee.load(ordering: .acquiring))
  }
}
