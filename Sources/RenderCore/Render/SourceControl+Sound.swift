// SPDX-License-Identifier: MIT

internal import Synchronization

/// The volume and pan of the source.
extension SourceControl {
  /// The largest gain: 40 dB.
  public static let maximumVolume: Float = 100

  /// The linear gain of the sound, 1 is as decoded; 0 to ``maximumVolume``. NaN becomes 1. A change takes
  /// ``Renderer/fadeSeconds``, or ``volumeRampSeconds`` if that is longer. The value read is the present volume or the
  /// target of its fade, also if a packet's settings have set it.
  public var volume: Float {
    get {
      effective(
        unsafe shared.pointee.volume.load(ordering: .acquiring),
        taken: unsafe shared.pointee.takenVolume.load(ordering: .acquiring),
        now: unsafe shared.pointee.effectiveVolumeBits.load(ordering: .acquiring))
    }
    nonmutating set {
      Self.set(Self.clampedVolume(newValue), in: unsafe shared.pointee.volume)
    }
  }

  /// Makes the current volume the starting volume of sound that has not begun yet. A volume that is set later is a
  /// change from there, whether or not a cycle is between the two.
  public func settleVolume() {
    Self.set(volume, in: unsafe shared.pointee.settledVolume)
  }

  /// Seconds that later changes of the volume take, 0 to 60; at first 0. The value read is the last one that was set,
  /// here or by a packet.
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

  /// The position between the first two outputs, from -1, the first alone, to 1, the second alone. NaN becomes 0. A
  /// balance: the nearer side keeps its volume. A change takes ``Renderer/fadeSeconds``.
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

  /// Returns a setting that the render thread has not taken yet, or else the effective value.
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

  static func clampedVolume(_ volume: Float) -> Float {
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

/// The clock and the levels of the source.
extension SourceControl {
  /// Frames in a second of the source's clock, which counts the time of playing: sound, and silence during an underrun,
  /// but not while the source is held or paused. 0 to 1,000,000,000; 0, the initial value and that for NaN, is no
  /// clock. Set it before the first frame.
  public var clockRate: Double {
    get { unsafe Double(bitPattern: shared.pointee.clockRateBits.load(ordering: .acquiring)) }
    nonmutating set {
      unsafe shared.pointee.clockRateBits.store(
        Self.possibleClockRate(newValue).bitPattern, ordering: .releasing)
    }
  }

  /// The output's frame, counted like ``SourcePosition/deviceFrame``, before which ``SourceMode/play`` is silence that
  /// the clock does not count. A past frame means now.
  public var startFrame: UInt64 {
    get { unsafe shared.pointee.startFrame.load(ordering: .acquiring) }
    nonmutating set { unsafe shared.pointee.startFrame.store(newValue, ordering: .releasing) }
  }

  /// Sets ``flushSerial``, and restarts the clock at 0 with the packets of that flush serial.
  public func restartClock(withFlushSerial flushSerial: UInt32) {
    unsafe shared.pointee.clockFlushSerial.store(flushSerial, ordering: .releasing)
    self.flushSerial = flushSerial
  }

  /// Whether levels are measured. Off at first.
  public var measuresLevels: Bool {
    get { unsafe shared.pointee.measuresLevels.load(ordering: .relaxed) }
    nonmutating set { unsafe shared.pointee.measuresLevels.store(newValue, ordering: .relaxed) }
  }

  /// Returns the level of the source at each output since the last call, after its gain; 1 is full scale.
  public func takeLevels() -> [SourceLevel] {
    unsafe shared.pointee.levels.take()
  }
}

/// The level of a source at one output.
public struct SourceLevel: Sendable, Equatable {
  /// All frames measured so far.
  public var frames: UInt64
  /// The sum of their squares so far. A cycle with NaN, or with a mean more than 96 dB above full scale, adds nothing.
  public var sumOfSquares: Double
  /// The largest magnitude since it was last taken.
  public var peak: Float
}
