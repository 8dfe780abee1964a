// SPDX-License-Identifier: MIT

internal import Synchronization

/// How the source sounds.
extension SourceControl {
  /// The largest gain: 40 dB.
  public static let maximumVolume: Float = 100

  /// Gain of the sound, 1 is as decoded; 0 to ``maximumVolume``, and 1 for what is no number. A change
  /// takes ``Renderer/fadeSeconds``, or ``volumeRampSeconds`` if that is longer. Read, it is what the volume is or
  /// is on its way to, also where a packet has brought it.
  public var volume: Float {
    get {
      effective(
        unsafe shared.pointee.volume.load(ordering: .acquiring),
        taken: unsafe shared.pointee.takenVolume.load(ordering: .acquiring),
        now: unsafe shared.pointee.effectiveVolumeBits.load(ordering: .acquiring))
    }
    nonmutating set {
      Self.set(Self.possibleVolume(newValue), in: unsafe shared.pointee.volume)
    }
  }

  /// Has sound that has not begun begin at the volume of this moment: what is set from now on is a change
  /// from there, whether or not a cycle is between the two.
  public func settleVolume() {
    Self.set(volume, in: unsafe shared.pointee.settledVolume)
  }

  /// Seconds that later changes of the volume take, 0 to 60; at first 0. Read, it is the last one that was set, here
  /// or by a packet.
  public var volumeRampSeconds: Float {
    get {
      effective(
        unsafe shared.pointee.rampSeconds.load(ordering: .acquiring),
        taken: unsafe shared.pointee.takenRampSeconds.load(ordering: .acquiring),
        now: unsafe shared.pointee.effectiveRampSecondsBits.load(ordering: .acquiring))
    }
    nonmutating set {
      Self.set(Self.possibleRampSeconds(newValue), in: unsafe shared.pointee.rampSeconds)
    }
  }

  /// Where the sound is between the first two outputs, from -1, the first alone, to 1, the second alone;
  /// 0 for what is no number. A balance: the nearer side keeps its volume. A change takes ``Renderer/fadeSeconds``.
  public var pan: Float {
    get {
      effective(
        unsafe shared.pointee.pan.load(ordering: .acquiring),
        taken: unsafe shared.pointee.takenPan.load(ordering: .acquiring),
        now: unsafe shared.pointee.effectivePanBits.load(ordering: .acquiring))
    }
    nonmutating set {
      Self.set(Self.possiblePan(newValue), in: unsafe shared.pointee.pan)
    }
  }

  /// What was set and not taken yet, or what holds now.
  private func effective(_ setting: UInt64, taken: UInt32, now: UInt32) -> Float {
    let isTaken = UInt32(setting >> 32) == taken
    return Float(bitPattern: isTaken ? now : UInt32(truncatingIfNeeded: setting))
  }

  private static func set(_ value: Float, in setting: borrowing Atomic<UInt64>) {
    var old = setting.load(ordering: .relaxed)
    while true {
      let number = UInt64(UInt32(old >> 32) &+ 1)
      let (exchanged, original) = setting.weakCompareExchange(
        expected: old, desired: number << 32 | UInt64(value.bitPattern), ordering: .releasing)
      if exchanged { return }
      old = original
    }
  }

  static func possibleVolume(_ volume: Float) -> Float {
    volume.isNaN ? 1 : min(max(0, volume), maximumVolume)
  }

  static func possibleRampSeconds(_ seconds: Float) -> Float {
    seconds.isNaN ? 0 : min(max(0, seconds), 60)
  }

  static func possiblePan(_ pan: Float) -> Float {
    pan.isNaN ? 0 : min(max(-1, pan), 1)
  }

  static func possibleClockRate(_ hertz: Double) -> Double {
    hertz.isNaN ? 0 : min(max(0, hertz), 1_000_000_000)
  }

  static func possibleRate(_ rate: Float) -> Float {
    rate.isNaN ? 1 : min(max(1 / 64, rate), 64)
  }
}

/// When the source sounds.
extension SourceControl {
  /// Frames in a second of the source's clock, which says how long the source has been playing: sound and
  /// the silence for want of it, but not what is held or paused. 0 to 1,000,000,000; 0, as at first and for what is
  /// no number, is no clock. To be set before the first frame.
  public var clockRate: Double {
    get { unsafe Double(bitPattern: shared.pointee.clockRateBits.load(ordering: .acquiring)) }
    nonmutating set {
      unsafe shared.pointee.clockRateBits.store(
        Self.possibleClockRate(newValue).bitPattern, ordering: .releasing)
    }
  }

  /// The output's frame, counted as ``SourcePosition/deviceFrame`` is, before which
  /// ``SourceMode/play`` is silence that the clock does not count. What is past is now.
  public var startFrame: UInt64 {
    get { unsafe shared.pointee.startFrame.load(ordering: .acquiring) }
    nonmutating set { unsafe shared.pointee.startFrame.store(newValue, ordering: .releasing) }
  }

  /// As ``generation``, and the clock begins at 0 with what is fed with this one.
  public func restartClock(withGeneration generation: UInt32) {
    unsafe shared.pointee.clockGeneration.store(generation, ordering: .releasing)
    self.generation = generation
  }

  /// Whether levels are measured. Off at first.
  public var measuresLevels: Bool {
    get { unsafe shared.pointee.measuresLevels.load(ordering: .relaxed) }
    nonmutating set { unsafe shared.pointee.measuresLevels.store(newValue, ordering: .relaxed) }
  }

  /// How loud the source was at each output since this was last called, after its gain; 1 is full scale.
  public func takeLevels() -> [SourceLevel] {
    unsafe shared.pointee.levels.take()
  }
}

/// How loud a source was at one output.
public struct SourceLevel: Sendable, Equatable {
  /// Frames measured, in all.
  public var frames: UInt64
  /// The sum of their squares, in all. A cycle with what is no number, or 96 dB above full scale in the mean,
  /// adds nothing.
  public var sumOfSquares: Double
  /// The largest magnitude since it was last taken.
  public var peak: Float
}
