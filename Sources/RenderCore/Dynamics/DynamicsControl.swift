// SPDX-License-Identifier: MIT

internal import Glibc
internal import Synchronization

/// The settings of a compressor, published to the render thread, and its meter. The latest ones win. Each setting is
/// useful by itself: one that a cycle misses fades in from the next cycle on.
@safe
struct DynamicsShared: ~Copyable {
  // Each holds the bits of a `Float` or a `Double`.
  private let threshold = Atomic<UInt32>(0)
  private let headroom = Atomic<UInt32>(0)
  private let slope = Atomic<UInt32>(0)
  private let expansionThreshold = Atomic<UInt32>(0)
  private let expansionSlope = Atomic<UInt32>(0)
  private let gain = Atomic<UInt32>(0)
  private let attack = Atomic<UInt64>(0)
  private let release = Atomic<UInt64>(0)
  private let fadeFrames = Atomic<Int>(1)
  private let padding = CacheLinePadding()
  /// Written by the render thread. The bits of a `Double`, a power of two.
  let lastGain = Atomic<UInt64>(0)

  func publish(_ settings: DynamicsSettings) {
    threshold.store(settings.threshold.bitPattern, ordering: .relaxed)
    headroom.store(settings.headroom.bitPattern, ordering: .relaxed)
    slope.store(settings.slope.bitPattern, ordering: .relaxed)
    expansionThreshold.store(settings.expansionThreshold.bitPattern, ordering: .relaxed)
    expansionSlope.store(settings.expansionSlope.bitPattern, ordering: .relaxed)
    gain.store(settings.gain.bitPattern, ordering: .relaxed)
    attack.store(settings.attack.bitPattern, ordering: .relaxed)
    release.store(settings.release.bitPattern, ordering: .relaxed)
    fadeFrames.store(settings.fadeFrames, ordering: .relaxed)
  }

  /// Real-time: wait-free.
  var settings: DynamicsSettings {
    @_noLocks get {
      var settings = DynamicsSettings()
      settings.threshold = Float(bitPattern: threshold.load(ordering: .relaxed))
      settings.headroom = Float(bitPattern: headroom.load(ordering: .relaxed))
      settings.slope = Float(bitPattern: slope.load(ordering: .relaxed))
      settings.expansionThreshold = Float(
        bitPattern: expansionThreshold.load(ordering: .relaxed))
      settings.expansionSlope = Float(bitPattern: expansionSlope.load(ordering: .relaxed))
      settings.gain = Float(bitPattern: gain.load(ordering: .relaxed))
      settings.attack = Double(bitPattern: attack.load(ordering: .relaxed))
      settings.release = Double(bitPattern: release.load(ordering: .relaxed))
      settings.fadeFrames = fadeFrames.load(ordering: .relaxed)
      return settings
    }
  }
}

/// The render side of a graph's compressor. Owned by the render thread while an output runs.
@safe
struct DynamicsUnit: ~Copyable {
  private var dynamics = Dynamics()
  private let shared: UnsafeMutablePointer<DynamicsShared>
  /// The device frame after those that have been rendered.
  private var nextFrame = UInt64.max

  init(shared: UnsafeMutablePointer<DynamicsShared>) {
    unsafe self.shared = unsafe shared
  }

  /// Compresses a cycle's frames in place. Real-time: wait-free, render thread only.
  ///
  /// - Returns: the number of samples that were NaN or infinite.
  @_noLocks @inline(never)
  mutating func render(
    _ buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, frameCount: Int,
    deviceFrame: UInt64
  ) -> Int {
    let continues = deviceFrame == nextFrame
    if !continues { dynamics.reset() }
    unsafe dynamics.set(shared.pointee.settings, fades: continues)
    nextFrame = deviceFrame &+ UInt64(frameCount)
    let (lastGain, nonFinite) = unsafe dynamics.apply(to: buffers, frameCount: frameCount)
    unsafe shared.pointee.lastGain.store(lastGain.bitPattern, ordering: .relaxed)
    return nonFinite
  }
}

/// The owner of the memory of a graph's compressor. Its control and the renderer's graph hold it.
@safe
final class DynamicsStorage: BuiltInEffect, @unchecked Sendable {
  private struct Control {
    var sampleRate: Double
    var settings = DynamicsControl.Settings()
  }

  private let unit: RenderMemory<DynamicsUnit>
  private let shared = RenderMemory(DynamicsShared())
  /// Protects the control side against two control threads. Never taken by the render thread.
  private let control: POSIXMutex<Control>

  init(sampleRate: Double) {
    unit = unsafe RenderMemory(DynamicsUnit(shared: shared.address))
    control = POSIXMutex(Control(sampleRate: sampleRate))
    change { _ in }
  }

  var operation: EffectOperation { unsafe .compress(unit.address) }

  var settings: DynamicsControl.Settings {
    get { control.withLock { $0.settings } }
    set { change { $0.settings = newValue.possible } }
  }

  func follow(sampleRate: Double) { change { $0.sampleRate = sampleRate } }

  var lastGain: Double {
    unsafe Double(bitPattern: shared.address.pointee.lastGain.load(ordering: .relaxed))
  }

  private func change(_ body: (inout Control) -> Void) {
    control.withLock { control in
      body(&control)
      unsafe shared.address.pointee.publish(
        control.settings.rendered(sampleRate: control.sampleRate))
    }
  }
}

/// The control of a compressor and expander in a renderer's graph: Core Audio's
/// `kAudioUnitSubType_DynamicsProcessor`.
///
/// All channels have the same gain, which follows the largest magnitude of each frame. There is no look-ahead, and no
/// latency. Samples whose gain is 0 dB are unchanged. NaN and infinity become 0 and count in
/// ``Renderer/nonFiniteSampleCount``. Any thread but the render thread.
public final class DynamicsControl: Sendable {
  private let storage: DynamicsStorage
  /// The compressor's node in the renderer's ``ProcessingGraph``.
  public let node: GraphNode

  init(storage: DynamicsStorage, node: GraphNode) {
    self.storage = storage
    self.node = node
  }

  /// The settings. A change fades for ``Renderer/fadeSeconds``. Numbers out of range are clamped; NaN becomes the
  /// default.
  public var settings: Settings {
    get { storage.settings }
    set { storage.settings = newValue }
  }

  /// The gain in dB of the latest frame, without ``Settings/gainDecibels``: Core Audio's compression amount, negative
  /// if sound is compressed or expanded.
  public var compressionDecibels: Double { storage.lastGain * DynamicsControl.decibelsPerOctave }

  /// The dB of a factor of 2.
  fileprivate static let decibelsPerOctave = 20 * log10(2.0)
}

extension DynamicsControl {
  /// The settings of a compressor and expander.
  ///
  /// A level that exceeds the threshold by *d* dB has a gain of -(1 - 1 / ratio) · *d*² / (*d* + headroom) dB. So the
  /// headroom rounds the knee, and with an infinite ratio the output never exceeds the threshold by more than the
  /// headroom.
  public struct Settings: Sendable, Equatable {
    /// The level in dBFS above which sound is compressed, -120 to 20.
    public var thresholdDecibels = -20.0
    /// 0 to 40; 0 for a sharp knee.
    public var headroomDecibels = 5.0
    /// dB of the input for each dB of the output far above the threshold, at least 1. Core Audio has no such parameter;
    /// its compression corresponds to infinity.
    public var ratio = Double.infinity
    /// The level in dBFS below which sound is expanded, -120 to 20.
    public var expansionThresholdDecibels = -60.0
    /// dB of the output for each dB of the input below that level, 1 (no expansion) to 50. The gain is at least
    /// -120 dB.
    public var expansionRatio = 1.0
    /// The time in seconds in which the level covers 63 % of a rise, 0 to 1.
    public var attackSeconds = 0.001
    /// The time in seconds in which the level falls by 63 % (8.7 dB), 0 to 10.
    public var releaseSeconds = 0.05
    /// The gain of all sound, -40 to 40.
    public var gainDecibels = 0.0

    /// Creates settings with Core Audio's values, but without expansion.
    public init() {}

    /// The nearest settings within all ranges.
    var possible: Settings {
      let new = Settings()
      func within(
        _ range: ClosedRange<Double>, _ field: KeyPath<Settings, Double>
      ) -> Double {
        let value = self[keyPath: field]
        return value.isNaN
          ? new[keyPath: field] : max(range.lowerBound, min(range.upperBound, value))
      }
      var result = self
      result.thresholdDecibels = within(-120...20, \.thresholdDecibels)
      result.headroomDecibels = within(0...40, \.headroomDecibels)
      result.ratio = within(1...(.infinity), \.ratio)
      result.expansionThresholdDecibels = within(-120...20, \.expansionThresholdDecibels)
      result.expansionRatio = within(1...50, \.expansionRatio)
      result.attackSeconds = within(0...1, \.attackSeconds)
      result.releaseSeconds = within(0...10, \.releaseSeconds)
      result.gainDecibels = within(-40...40, \.gainDecibels)
      return result
    }

    /// Returns the settings in the units of the render side.
    fileprivate func rendered(sampleRate: Double) -> DynamicsSettings {
      func octaves(_ decibels: Double) -> Float {
        Float(decibels / DynamicsControl.decibelsPerOctave)
      }
      func left(_ seconds: Double) -> Double { seconds > 0 ? exp(-1 / (seconds * sampleRate)) : 0 }
      var settings = DynamicsSettings()
      settings.threshold = octaves(thresholdDecibels)
      settings.headroom = octaves(headroomDecibels)
      settings.slope = Float(1 - 1 / ratio)
      settings.expansionThreshold = octaves(expansionThresholdDecibels)
      settings.expansionSlope = Float(expansionRatio - 1)
      settings.gain = octaves(gainDecibels)
      settings.attack = left(attackSeconds)
      settings.release = left(releaseSeconds)
      settings.fadeFrames = Gain.frames(Gain.fadeSeconds, at: sampleRate)
      return settings
    }
  }
}

extension ProcessingGraph {
  /// Adds a compressor and expander. It works once it leads to the output.
  ///
  /// - Parameter channelCount: the channels of its input bus and of its output bus, at least one.
  /// - Returns: the control, which has the node.
  public func addDynamics(channelCount: Int) -> DynamicsControl {
    precondition(channelCount > 0, "a compressor has channels")
    let storage = DynamicsStorage(sampleRate: renderer.sampleRate)
    let node = add(storage, name: "compressor", channelCount: channelCount)
    return DynamicsControl(storage: storage, node: node)
  }
}
