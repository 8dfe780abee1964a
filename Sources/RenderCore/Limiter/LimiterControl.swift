// SPDX-License-Identifier: MIT

internal import Synchronization

/// The settings of a limiter, published to the render thread, and its meter. The latest settings win; each is applied
/// separately.
@safe
struct LimiterShared: ~Copyable {
  /// The bits of a `Float`; 0 for none.
  private let ceilingBits = Atomic<UInt32>(0)
  private let releaseFrames = Atomic<Int>(1)
  private let fadeFrames = Atomic<Int>(1)
  private let padding = CacheLinePadding()
  /// Written by the render thread. The bits of a `Float` from 0 to 1, which have the order of the numbers.
  let lowestGain = Atomic<UInt32>(Float(1).bitPattern)

  func publish(ceiling: Float?, releaseSeconds: Double, sampleRate: Double) {
    ceilingBits.store((ceiling ?? 0).bitPattern, ordering: .relaxed)
    releaseFrames.store(Gain.frames(releaseSeconds, at: sampleRate), ordering: .relaxed)
    fadeFrames.store(Gain.frames(Gain.fadeSeconds, at: sampleRate), ordering: .relaxed)
  }

  /// Applies the settings to a limiter.
  ///
  /// - Parameter fades: whether a new ceiling fades in.
  @_noLocks
  func apply(to limiter: inout Limiter, fades: Bool) {
    let ceiling = Float(bitPattern: ceilingBits.load(ordering: .relaxed))
    limiter.set(
      ceiling: ceiling > 0 ? ceiling : nil, releaseFrames: releaseFrames.load(ordering: .relaxed),
      fadeFrames: fades ? fadeFrames.load(ordering: .relaxed) : 0)
  }
}

/// The render side of a graph's limiter. Owned by the render thread while an output runs.
@safe
struct LimiterUnit: ~Copyable {
  private var limiter: Limiter
  private let shared: UnsafeMutablePointer<LimiterShared>
  /// The device frame after those that have been limited.
  private var nextFrame = UInt64.max

  init(_ limiter: consuming Limiter, shared: UnsafeMutablePointer<LimiterShared>) {
    self.limiter = limiter
    unsafe self.shared = unsafe shared
  }

  /// Limits a cycle's frames in place. Real-time: wait-free, render thread only.
  ///
  /// - Returns: the number of samples that were NaN or infinite.
  @_noLocks @inline(never)
  mutating func render(
    _ buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, frameCount: Int,
    deviceFrame: UInt64
  ) -> Int {
    let continues = deviceFrame == nextFrame
    if !continues { limiter.reset() }
    unsafe shared.pointee.apply(to: &limiter, fades: continues)
    nextFrame = deviceFrame &+ UInt64(frameCount)
    let (lowest, nonFinite) = unsafe limiter.apply(to: buffers, frameCount: frameCount)
    if lowest < 1 {
      unsafe _ = shared.pointee.lowestGain.min(lowest.bitPattern, ordering: .relaxed)
    }
    return nonFinite
  }
}

/// The owner of the memory of a graph's limiter. Its control and the renderer's graph hold it.
@safe
final class LimiterStorage: BuiltInEffect, @unchecked Sendable {
  struct Settings {
    var ceiling: Float = 1
    var releaseSeconds = 0.1
    fileprivate var sampleRate: Double
  }

  private let unit: RenderMemory<LimiterUnit>
  private let shared: RenderMemory<LimiterShared>
  /// Protects the control side against two control threads. Never taken by the render thread.
  private let control: POSIXMutex<Settings>

  init(_ limiter: consuming Limiter, sampleRate: Double) {
    shared = RenderMemory(LimiterShared())
    unit = unsafe RenderMemory(LimiterUnit(limiter, shared: shared.address))
    control = POSIXMutex(Settings(sampleRate: sampleRate))
    change { _ in }
  }

  var operation: EffectOperation { unsafe .limit(unit.address) }

  var settings: Settings { control.withLock { $0 } }

  func change(_ body: (inout Settings) -> Void) {
    control.withLock { settings in
      body(&settings)
      unsafe shared.address.pointee.publish(
        ceiling: settings.ceiling,
        releaseSeconds: settings.releaseSeconds, sampleRate: settings.sampleRate)
    }
  }

  func follow(sampleRate: Double) { change { $0.sampleRate = sampleRate } }

  func takeLowestGain() -> Float {
    Float(
      bitPattern: unsafe shared.address.pointee.lowestGain.exchange(
        Float(1).bitPattern, ordering: .relaxed))
  }
}

/// The control of a limiter in a renderer's graph: Core Audio's `kAudioUnitSubType_PeakLimiter`.
///
/// No sample is above the ceiling. All channels have the same gain. While no peak is above the ceiling, samples are
/// only delayed, by the node's latency. NaN and infinity become 0 and count in ``Renderer/nonFiniteSampleCount``. Any
/// thread but the render thread.
public final class LimiterControl: Sendable {
  /// The longest look-ahead.
  public static let maximumLookAheadFrames = 4096
  /// The lowest ceiling: -120 dBFS.
  public static let minimumCeiling: Float = 1e-6
  /// The frames by which a limiter of true peaks is later than its look-ahead.
  public static var truePeakLatencyFrames: Int { Limiter.truePeakFrames }

  private let storage: LimiterStorage
  /// The limiter's node in the renderer's ``ProcessingGraph``.
  public let node: GraphNode

  init(storage: LimiterStorage, node: GraphNode) {
    self.storage = storage
    self.node = node
  }

  /// The largest magnitude of a sample, where 1 is full scale; 1 at first. It is also the largest true peak if the
  /// limiter finds these. A change fades for ``Renderer/fadeSeconds``. Values are clamped to ``minimumCeiling``; one
  /// that is not finite counts as 1.
  public var ceiling: Float {
    get { storage.settings.ceiling }
    set {
      storage.change { $0.ceiling = newValue.isFinite ? max(newValue, Self.minimumCeiling) : 1 }
    }
  }

  /// The time in seconds in which the gain returns by 63 %, from one frame to a minute; 0.1 at first.
  public var releaseSeconds: Double {
    get { storage.settings.releaseSeconds }
    set { storage.change { $0.releaseSeconds = newValue } }
  }

  /// Returns the lowest linear gain since the last call; 1 if no sample was reduced.
  public func takeLowestGain() -> Float { storage.takeLowestGain() }
}

extension ProcessingGraph {
  /// Adds a limiter. It limits once it leads to the output.
  ///
  /// - Parameters:
  ///   - channelCount: the channels of its input bus and of its output bus, at least one.
  ///   - lookAheadFrames: at most ``LimiterControl/maximumLookAheadFrames``; a part of the node's latency. With 1 to 5 ms the gain
  ///     falls smoothly before a peak. With 0 it falls within one frame, which distorts peaks. The number is the same
  /// at
  ///     every sample rate.
  ///   - limitsTruePeaks: whether the ceiling also holds for true peaks, by ITU-R BS.1770-4: for the curve through the
  ///     samples, four points a frame and parabolas between these. The latency is longer by
  ///     ``LimiterControl/truePeakLatencyFrames``. With a look-ahead of 1 ms or more, true peaks of sound below 0.45 of the
  ///     sample rate exceed the ceiling by at most 0.1 dB.
  /// - Returns: the control, which has the node.
  public func addLimiter(
    channelCount: Int, lookAheadFrames: Int = 0, limitsTruePeaks: Bool = false
  ) -> LimiterControl {
    precondition(
      channelCount > 0 && (0...LimiterControl.maximumLookAheadFrames).contains(lookAheadFrames),
      "a limiter has channels and a possible look-ahead")
    let limiter = Limiter(
      channels: channelCount, lookAheadFrames: lookAheadFrames, findsTruePeaks: limitsTruePeaks)
    let latencyFrames = limiter.latencyFrames
    let storage = LimiterStorage(limiter, sampleRate: renderer.sampleRate)
    let node = add(
      storage, name: "limiter", channelCount: channelCount, latencyFrames: latencyFrames)
    return LimiterControl(storage: storage, node: node)
  }
}
