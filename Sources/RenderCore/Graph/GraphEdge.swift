// SPDX-License-Identifier: MIT

internal import Synchronization

/// The owner of an edge, which leads channels of a node's output to channels of another node's input bus.
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
  /// Whether the edge leads out of the source's input bus instead of its output, since the source is bypassed.
  let isDry: Bool
  /// The delay that aligns this path with longer ones. A dry edge's delay includes the latency of its source.
  let delayFrames: Int
  var target: NodeStorage
  var bus: Int
  let targetChannel: Int
  /// The gain that the next plan fades to.
  private(set) var gain: Float { didSet { if gain != oldValue { isAsItIs = false } } }
  /// The serial of the plan that fades to the gain.
  private(set) var change: UInt64 = 0
  /// The frames before that fade, besides the warm-up.
  private(set) var waitFrames = 0
  /// The scheduled gains that had not begun when ``settle(at:)`` was last called.
  private(set) var scheduled: [GainSchedule.Event] = []
  private(set) var schedule: UnsafeMutablePointer<GainSchedule>?
  /// Whether the gain has been 1 from the first frame, so an edge that shares its source's buffers needs no operation.
  private(set) var isAsItIs: Bool
  /// Whether a plan contains the edge.
  var isPlanned = false
  /// The gain of the first frame.
  let initialGain: Float
  /// The serial of the plan in which the edge began to fade out; nil while the edge is connected.
  private(set) var leavingSerial: UInt64?
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
    unsafe schedule?.deinitialize(count: 1)
    unsafe schedule?.deallocate()
  }

  /// Fades to a gain with the plan of a serial, and cancels scheduled gains.
  func set(_ gain: Float, serial: UInt64) {
    self.gain = gain
    change = serial
    waitFrames = 0
    scheduled = []
    leavingSerial = nil
  }

  /// Fades out with the plan of a serial.
  ///
  /// - Parameter frames: frames before the fade.
  func leave(serial: UInt64, after frames: Int = 0) {
    if leavingSerial != nil { return }
    set(0, serial: serial)
    waitFrames = frames
    leavingSerial = serial
  }

  /// Makes the queue for scheduled gains. The edge needs a new plan.
  func makeSchedule() {
    if unsafe schedule != nil { return }
    unsafe schedule = .allocate(capacity: 1)
    unsafe schedule?.initialize(to: GainSchedule())
    isAsItIs = false
  }

  var hasSchedule: Bool { unsafe schedule != nil }

  var hasRoomInSchedule: Bool { unsafe schedule?.pointee.hasRoom ?? true }

  /// Schedules a gain after those that are scheduled.
  ///
  /// - Returns: false if the queue is full.
  func append(_ event: GainSchedule.Event) -> Bool {
    var event = event
    event.change = change
    guard let schedule = unsafe schedule, unsafe schedule.pointee.append(event) else {
      return false
    }
    scheduled.append(event)
    return true
  }

  /// Sets the gain to that of the last scheduled event that began before a frame.
  func settle(at frame: UInt64) {
    let begun = scheduled.prefix { $0.frame < frame }
    guard let last = begun.last else { return }
    gain = last.gain
    scheduled.removeFirst(begun.count)
  }

  /// Takes over the scheduled gains of the edge that this one replaces.
  func takeSchedule(_ events: [GainSchedule.Event]) {
    if events.isEmpty { return }
    makeSchedule()
    for event in events { _ = append(event) }
  }

  /// Whether no plan has contained the edge, and it begins at its gain.
  var isAtRest: Bool { !isPlanned && initialGain == gain }

  /// Returns the same edge before its first frame, for a plan in which it is new.
  func atRest() -> EdgeStorage {
    if isAtRest { return self }
    let edge = EdgeStorage(
      id: id, source, channel: sourceChannel, to: target, bus: bus, targetChannel: targetChannel,
      channelCount: channelCount, gain: gain, initialGain: gain, isDry: isDry,
      delayFrames: delayFrames)
    edge.takeSchedule(scheduled)
    return edge
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

  /// Whether the edge has faded out.
  var hasLeft: Bool {
    guard let leavingSerial else { return false }
    return unsafe state.pointee.silentSerial.load(ordering: .acquiring) >= leavingSerial
  }

  /// Whether the edge leads every channel of its source to the same channel of a bus of the same width, without a
  /// delay.
  var isWhole: Bool {
    sourceChannel == 0 && targetChannel == 0 && delayFrames == 0
      && source.outputWidth == channelCount && target.inputWidths[bus] == channelCount
  }
}
