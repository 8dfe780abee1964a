// SPDX-License-Identifier: MIT

internal import Synchronization

/// Owns an edge, which leads channels of a node's output to channels of another node's input bus.
///
/// An edge outlives plans, so another edit can reverse its fade half way. The renderer's lock protects everything
/// except the render side of `state`.
@safe
final class EdgeStorage: @unchecked Sendable {
  /// Larger than the id of every older edge.
  let id: Int
  let source: NodeStorage
  let sourceChannel: Int
  let channelCount: Int
  /// Leads out of the source's input bus instead of its output, since the source is bypassed.
  let isDry: Bool
  /// The delay that aligns this path with longer ones. That of a dry edge includes the latency of its source.
  let delayFrames: Int
  var target: NodeStorage
  var bus: Int
  let targetChannel: Int
  /// The gain that the next plan fades to.
  var gain: Float { didSet { if gain != oldValue { isAsItIs = false } } }
  /// The gain has been 1 from the first frame, so an edge that shares its source's buffers needs no operation.
  private(set) var isAsItIs: Bool
  /// A plan contains the edge.
  var isPlanned = false
  /// The gain of the first frame.
  let initialGain: Float
  /// The serial of the plan in which the edge began to fade out; nil while the edge is connected.
  var leavingSerial: UInt64?
  let state: UnsafeMutablePointer<EdgeState>

  init(
    id: Int, _ source: NodeStorage, channel: Int, to target: NodeStorage, bus: Int,
    targetChannel: Int, channelCount: Int, gain: Float, initialGain: Float, isDry: Bool,
    delayFrames: Int = 0
  ) {
    self.id = id
    self.source = source
    sourceChannel = channel
    self.target = target
    self.bus = bus
    self.targetChannel = targetChannel
    self.channelCount = channelCount
    self.gain = gain
    self.isDry = isDry
    self.delayFrames = delayFrames
    self.initialGain = initialGain
    isAsItIs = initialGain == 1 && gain == 1
    unsafe state = .allocate(capacity: 1)
    unsafe state.initialize(
      to: EdgeState(gain: initialGain, delayFrames: delayFrames, channels: channelCount))
  }

  deinit {
    unsafe state.deinitialize(count: 1)
    unsafe state.deallocate()
  }

  /// No plan has contained the edge, and it begins at its gain.
  var isAtRest: Bool { !isPlanned && initialGain == gain }

  /// Returns the same edge before its first frame, for a plan in which it is new.
  func atRest() -> EdgeStorage {
    if isAtRest { return self }
    return EdgeStorage(
      id: id, source, channel: sourceChannel, to: target, bus: bus, targetChannel: targetChannel,
      channelCount: channelCount, gain: gain, initialGain: gain, isDry: isDry,
      delayFrames: delayFrames)
  }

  /// Returns true if the edge leads from and to these channels.
  func connects(
    _ source: NodeStorage, channel: Int, to target: NodeStorage, bus: Int, targetChannel: Int,
    channelCount: Int
  ) -> Bool {
    self.source === source && sourceChannel == channel && self.target === target
      && self.bus == bus && self.targetChannel == targetChannel
      && self.channelCount == channelCount
  }

  /// The edge has faded out.
  var hasLeft: Bool {
    guard let leavingSerial else { return false }
    return unsafe state.pointee.silentSerial.load(ordering: .acquiring) >= leavingSerial
  }

  /// The edge leads every channel of its source to the same channel of a bus of the same width, without a delay.
  var isWhole: Bool {
    sourceChannel == 0 && targetChannel == 0 && delayFrames == 0
      && source.outputWidth == channelCount && target.inputWidths[bus] == channelCount
  }
}

/// The render side of an edge. Owned by the render thread while an output runs.
///
/// Real-time: every call is wait-free, render thread only.
@safe
struct EdgeState: ~Copyable {
  private var gain: Gain
  private var delay: DelayLine
  /// The serial of the last plan in which the gain rested at 0.
  let silentSerial = Atomic<UInt64>(0)

  init(gain: Float, delayFrames: Int, channels: Int) {
    self.gain = Gain(gain)
    delay = DelayLine(frames: delayFrames, channels: channels)
  }

  /// Begins a fade to a gain.
  ///
  /// - Parameters:
  ///   - frames: of the fade.
  ///   - wait: frames before the fade.
  @_noLocks
  mutating func go(to target: Float, frames: Int, after wait: Int) {
    gain.go(to: target, frames: frames, after: wait)
  }

  /// Scales the buffers that the edge shares with its source, in place.
  @_noLocks @inline(never)
  mutating func scale(
    _ buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, frameCount: Int,
    serial: UInt64
  ) {
    if gain.isStill(at: 1) { return }
    let moving = gain.framesLeft < frameCount ? gain.framesLeft : frameCount
    for channel in 0..<buffers.count {
      let samples = unsafe buffers[channel]
      var gain = gain
      for i in 0..<moving {
        gain.advance()
        unsafe samples[i] *= gain.value
      }
      let value = gain.value
      if value == 1 { continue }
      // A product would keep a NaN.
      if value == 0 {
        unsafe (samples + moving).update(repeating: 0, count: frameCount - moving)
        continue
      }
      for i in moving..<frameCount { unsafe samples[i] *= value }
    }
    gain.advance(by: moving)
    noteSilence(serial)
  }

  /// Adds the source's buffers, delayed and scaled, to the target's.
  @_noLocks @inline(never)
  mutating func add(
    _ sources: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>,
    to targets: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>, frameCount: Int,
    serial: UInt64
  ) {
    var sources = unsafe sources
    if delay.frames > 0 { unsafe sources = delay.pass(sources, frameCount: frameCount) }
    if gain.isStill(at: 0) { return noteSilence(serial) }
    let moving = gain.framesLeft < frameCount ? gain.framesLeft : frameCount
    for channel in 0..<sources.count {
      let source = unsafe sources[channel]
      let target = unsafe targets[channel]
      var gain = gain
      for i in 0..<moving {
        gain.advance()
        unsafe target[i] += gain.value * source[i]
      }
      let value = gain.value
      if value == 0 { continue }
      if value == 1 {
        for i in moving..<frameCount { unsafe target[i] += source[i] }
      } else {
        for i in moving..<frameCount { unsafe target[i] += value * source[i] }
      }
    }
    gain.advance(by: moving)
    noteSilence(serial)
  }

  @_noLocks
  private func noteSilence(_ serial: UInt64) {
    guard gain.isStill(at: 0), silentSerial.load(ordering: .relaxed) != serial else { return }
    silentSerial.store(serial, ordering: .releasing)
  }
}
