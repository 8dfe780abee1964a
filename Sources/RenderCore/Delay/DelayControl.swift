// SPDX-License-Identifier: MIT

internal import Synchronization

/// The delays of a node, published to the render thread. The latest ones win.
@safe
struct DelayShared: ~Copyable {
  private let channelCount: Int
  /// Odd while the delays are written.
  private let sequence = Atomic<UInt64>(0)
  private let delays: UnsafeMutablePointer<Atomic<Int>>
  private let fadeFrames = Atomic<Int>(1)

  init(channels: Int) {
    channelCount = channels
    unsafe delays = .allocate(capacity: channels)
    for channel in 0..<channels { unsafe (delays + channel).initialize(to: Atomic(0)) }
  }

  deinit {
    unsafe delays.deinitialize(count: channelCount)
    unsafe delays.deallocate()
  }

  /// Publishes the delays. One thread at a time.
  func publish(sampleRate: Double, _ delay: (_ channel: Int) -> Int) {
    // First, since it may take time: the render thread reads no delays while the sequence is odd.
    let frames = (0..<channelCount).map(delay)
    let before = sequence.load(ordering: .relaxed)
    sequence.store(before &+ 1, ordering: .relaxed)
    // Releasing stores, so a thread that sees one of these also sees the odd sequence before it.
    for channel in 0..<channelCount {
      unsafe (delays + channel).pointee.store(frames[channel], ordering: .releasing)
    }
    fadeFrames.store(Gain.frames(Gain.fadeSeconds, at: sampleRate), ordering: .releasing)
    sequence.store(before &+ 2, ordering: .releasing)
  }

  /// Returns whether delays have been published since a sequence.
  @_noLocks
  func hasChanged(since taken: UInt64) -> Bool { sequence.load(ordering: .acquiring) != taken }

  /// Notes the delays.
  ///
  /// - Parameter taken: becomes their sequence.
  /// - Returns: the frames of a fade to them; nil if they were being written. Note them again in the next cycle.
  @_noLocks
  func note(in delay: inout SampleDelay, taken: inout UInt64) -> Int? {
    let before = sequence.load(ordering: .acquiring)
    if before & 1 == 1 { return nil }
    for channel in 0..<channelCount {
      delay.note(
        delay: unsafe (delays + channel).pointee.load(ordering: .acquiring), channel: channel)
    }
    let frames = fadeFrames.load(ordering: .acquiring)
    guard sequence.load(ordering: .relaxed) == before else { return nil }
    taken = before
    return frames
  }
}

/// The render side of a graph's delay. Owned by the render thread while an output runs.
@safe
struct DelayUnit: ~Copyable {
  private var delay: SampleDelay
  private let shared: UnsafeMutablePointer<DelayShared>
  private var takenSequence: UInt64 = 0
  /// The device frame after those that have been delayed.
  private var nextFrame = UInt64.max

  init(_ delay: consuming SampleDelay, shared: UnsafeMutablePointer<DelayShared>) {
    self.delay = delay
    unsafe self.shared = unsafe shared
  }

  /// Delays a cycle's frames in place. Real-time: wait-free, render thread only.
  @_noLocks @inline(never)
  mutating func render(
    _ buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, frameCount: Int,
    deviceFrame: UInt64
  ) {
    takeSettings(deviceFrame: deviceFrame, frameCount: frameCount)
    unsafe delay.apply(to: buffers, frameCount: frameCount)
  }

  /// Begins a slice of a feedback loop: reads its frames. Real-time: wait-free, render thread only.
  @_noLocks @inline(never)
  mutating func readAhead(
    into buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, frameCount: Int,
    deviceFrame: UInt64
  ) {
    takeSettings(deviceFrame: deviceFrame, frameCount: frameCount)
    unsafe delay.readAhead(into: buffers, frameCount: frameCount)
  }

  /// Ends a slice of a feedback loop: writes the frames that the loop has rendered. Real-time: wait-free, render thread
  /// only.
  ///
  /// - Returns: the number of samples that were NaN or infinite.
  @_noLocks @inline(never)
  mutating func write(
    _ buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, frameCount: Int
  ) -> Int {
    unsafe delay.write(buffers, frameCount: frameCount)
  }

  @_noLocks
  private mutating func takeSettings(deviceFrame: UInt64, frameCount: Int) {
    let continues = deviceFrame == nextFrame
    if unsafe shared.pointee.hasChanged(since: takenSequence) {
      let fadeFrames = unsafe shared.pointee.note(in: &delay, taken: &takenSequence)
      if !continues {
        delay.begin(takesNoted: fadeFrames != nil)
      } else if let fadeFrames {
        delay.goToNoted(fadeFrames: fadeFrames)
      }
    } else if !continues {
      delay.begin(takesNoted: true)
    }
    nextFrame = deviceFrame &+ UInt64(frameCount)
  }
}

/// The owner of the memory of a graph's delay. Its control and the renderer's graph hold it.
@safe
final class DelayStorage: BuiltInEffect, @unchecked Sendable {
  typealias Frames = @Sendable (_ channel: Int, _ sampleRate: Double) -> Int

  private struct Control {
    var sampleRate: Double
    var frames: Frames = { _, _ in 0 }
  }

  let limits: ClosedRange<Int>
  private let channelCount: Int
  private let unit: RenderMemory<DelayUnit>
  private let shared: RenderMemory<DelayShared>
  /// Protects the control side against two control threads. Never taken by the render thread.
  private let control: POSIXMutex<Control>

  init(channels: Int, limits: ClosedRange<Int>, sampleRate: Double) {
    self.limits = limits
    channelCount = channels
    shared = RenderMemory(DelayShared(channels: channels))
    unit = unsafe RenderMemory(
      DelayUnit(SampleDelay(channels: channels, limits: limits), shared: shared.address))
    control = POSIXMutex(Control(sampleRate: sampleRate))
  }

  var operation: EffectOperation { unsafe .delay(unit.address) }

  var loopDelay: DelayStorage? {
    limits.lowerBound >= DelayControl.minimumLoopFrames ? self : nil
  }

  /// The render side in a feedback loop.
  var loopUnit: UnsafeMutablePointer<DelayUnit> { unsafe unit.address }

  /// The frames for which a new path would be silent.
  var warmUpFrames: Int { longestFrames }

  var tailFrames: Int { longestFrames }

  private var longestFrames: Int {
    control.withLock { control in
      let longest = (0..<channelCount).map { control.frames($0, control.sampleRate) }.max() ?? 0
      return max(limits.lowerBound, min(longest, limits.upperBound))
    }
  }

  func set(_ frames: @escaping Frames) { change { $0.frames = frames } }

  func follow(sampleRate: Double) {
    if control.withLock({ $0.sampleRate != sampleRate }) { change { $0.sampleRate = sampleRate } }
  }

  private func change(_ body: (inout Control) -> Void) {
    control.withLock { control in
      body(&control)
      let rate = control.sampleRate
      unsafe shared.address.pointee.publish(sampleRate: rate) { control.frames($0, rate) }
    }
  }
}

/// The control of a delay in a renderer's graph: Core Audio's `kAudioUnitSubType_SampleDelay`, with a delay for each
/// channel, as for loudspeakers at different distances.
///
/// The delay is intended, so the graph does not count it as a latency. A channel without a delay keeps its samples to
/// the bit. A delay whose ``minimumFrames`` are at least ``minimumLoopFrames`` can close a feedback loop. Any thread
/// but the render thread.
public final class DelayControl: Sendable {
  /// The least ``minimumFrames`` of a delay that closes a feedback loop.
  public static let minimumLoopFrames = 64

  private let storage: DelayStorage
  /// The delay's node in the renderer's ``ProcessingGraph``.
  public let node: GraphNode

  init(storage: DelayStorage, node: GraphNode) {
    self.storage = storage
    self.node = node
  }

  /// The longest delay.
  public var maximumFrames: Int { storage.limits.upperBound }

  /// The shortest delay.
  public var minimumFrames: Int { storage.limits.lowerBound }

  /// Sets the delays; ``minimumFrames`` at first. The change is a crossfade of ``Renderer/fadeSeconds``.
  ///
  /// - Parameter frames: returns the frames of a channel, counted from 0, at a sample rate in frames per second,
  ///   ``minimumFrames`` to ``maximumFrames``; other numbers are clamped. It is called at once, and again
  ///   when the renderer's rate changes. It must not call the delay or the renderer, nor hold the renderer.
  public func set(_ frames: @escaping @Sendable (_ channel: Int, _ sampleRate: Double) -> Int) {
    storage.set(frames)
  }
}

extension ProcessingGraph {
  /// Adds a delay. It delays once it leads to the output.
  ///
  /// With a minimum of ``DelayControl/minimumLoopFrames`` or more, the delay can close a feedback loop: edges may lead
  /// from its output back to its input. If a cycle is longer than the least minimum of the loop's delays, the loop
  /// renders in slices of that minimum. A greater minimum costs less. The latencies of other nodes in the loop add to
  /// the delay. NaN and infinity do not return: they become 0 and count in ``Renderer/nonFiniteSampleCount``. Monitors
  /// cannot be in a loop. Such a delay cannot be bypassed.
  ///
  /// - Parameters:
  ///   - channelCount: the channels of its input bus and of its output bus, at least one.
  ///   - minimumFrames: the shortest delay, at least 0.
  ///   - maximumFrames: the longest delay, at most ``maximumLatencyFrames``. Its memory is allocated here.
  /// - Returns: the control, which has the node.
  public func addDelay(
    channelCount: Int, minimumFrames: Int = 0, maximumFrames: Int
  ) -> DelayControl {
    precondition(
      channelCount > 0 && 0 <= minimumFrames && minimumFrames <= maximumFrames
        && maximumFrames <= Self.maximumLatencyFrames,
      "a delay has channels and a possible length")
    let storage = DelayStorage(
      channels: channelCount, limits: minimumFrames...maximumFrames,
      sampleRate: renderer.sampleRate)
    return DelayControl(
      storage: storage, node: add(storage, name: "delay", channelCount: channelCount))
  }
}
