// SPDX-License-Identifier: MIT

internal import Synchronization

/// The settings that a monitor's control side publishes to its render side, and the meters in the other direction.
@safe
struct MonitorShared: ~Copyable {
  let inputCount: Int
  let outputCount: Int

  // Written by the control side, under a sequence lock (odd during a write). The render thread never waits: after an
  // incomplete read it tries again in the next cycle.
  let sequence = Atomic<UInt64>(0)
  /// The bits of a `Float` for each crosspoint, the inputs of an output contiguous.
  private let gains: UnsafeMutablePointer<Atomic<UInt32>>
  /// Published while the sequence is odd, so that it is read together with the rest.
  let highPass: FilterBankShared
  private let limitBits = Atomic<UInt32>(0)
  private let limiterReleaseFrames = Atomic<Int>(1)
  private let rampFrames = Atomic<Int>(1)
  private let padding0 = CacheLinePadding()

  // Written by the render thread.
  let inputLevels: SourceLevels
  let outputLevels: SourceLevels
  /// The bits of a `Float` from 0 to 1, which have the order of the numbers.
  let lowestLimiterGain = Atomic<UInt32>(Float(1).bitPattern)

  init(inputs: Int, outputs: Int) {
    inputCount = inputs
    outputCount = outputs
    unsafe gains = .allocate(capacity: inputs * outputs)
    for index in 0..<inputs * outputs { unsafe (gains + index).initialize(to: Atomic(0)) }
    highPass = FilterBankShared(channels: inputs, sectionCapacity: 1)
    inputLevels = SourceLevels(channels: inputs)
    outputLevels = SourceLevels(channels: outputs)
  }

  deinit {
    unsafe gains.deinitialize(count: inputCount * outputCount)
    unsafe gains.deallocate()
  }

  /// Publishes settings to the render side. One thread at a time.
  func publish(_ settings: MonitorSettings, sampleRate: Double) {
    let before = sequence.load(ordering: .relaxed)
    sequence.store(before &+ 1, ordering: .relaxed)
    // Releasing stores, so a thread that sees one of these also sees the odd sequence before it.
    for output in 0..<outputCount {
      for input in 0..<inputCount {
        unsafe (gains + (output * inputCount + input)).pointee.store(
          settings.effectiveGain(input: input, output: output).bitPattern, ordering: .releasing)
      }
    }
    highPass.publish(
      settings.highPass(sampleRate: sampleRate).map { [[$0]] }, mixSeconds: settings.rampSeconds,
      sampleRate: sampleRate)
    let limit =
      settings.limit.map {
        $0.isFinite && $0 > 0 ? max($0, LimiterControl.minimumCeiling) : 1
      } ?? 0
    limitBits.store(limit.bitPattern, ordering: .releasing)
    limiterReleaseFrames.store(
      Gain.frames(settings.limiterReleaseSeconds, at: sampleRate), ordering: .releasing)
    rampFrames.store(Gain.frames(settings.rampSeconds, at: sampleRate), ordering: .releasing)
    sequence.store(before &+ 2, ordering: .releasing)
  }

  // MARK: For the render thread.

  @_noLocks
  func gain(_ crosspoint: Int) -> Float {
    unsafe Float(bitPattern: (gains + crosspoint).pointee.load(ordering: .acquiring))
  }

  var limit: Float { @_noLocks get { Float(bitPattern: limitBits.load(ordering: .acquiring)) } }

  var releaseFrames: Int { @_noLocks get { limiterReleaseFrames.load(ordering: .acquiring) } }

  var ramp: Int { @_noLocks get { rampFrames.load(ordering: .acquiring) } }
}
