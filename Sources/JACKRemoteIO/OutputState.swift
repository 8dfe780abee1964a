// SPDX-License-Identifier: MIT

internal import CJACK
internal import Glibc
internal import RenderCore
internal import Synchronization

/// All that libjack's callbacks touch. Lives at a fixed address, never behind a class: a class field
/// would cost exclusivity checks and reference counts in the process callback.
@safe
struct OutputState: ~Copyable {
  /// What renders, from the start on. Written before the client is activated.
  var context: RenderContext?
  /// Written once, after the client is opened and before any callback can run.
  private var client: OpaquePointer?
  private let ports: UnsafeMutableBufferPointer<OpaquePointer?>
  /// Where each channel of a cycle goes; filled in anew every cycle.
  private let buffers: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  /// Takes the sound of a port that has no buffer.
  private let spare: UnsafeMutablePointer<Float>
  /// Frames that the renderer takes at once: a copy, because a class's metadata may take a lock.
  private let maximumSlice = Renderer.maximumFramesPerCycle
  private var continuity = CycleContinuity()

  /// Set by the control side: nothing is rendered any more.
  let isDetached = Atomic<Bool>(false)
  /// Set by the process thread while it may be rendering.
  let isInCycle = Atomic<Bool>(false)

  // Written by the process thread alone.
  let cycles = Atomic<UInt64>(0)
  let missedCycles = Atomic<UInt64>(0)
  /// When the last cycle was called for, or when the client was activated, on JACK's clock.
  let lastCycleMicroseconds = Atomic<UInt64>(0)
  /// Which thread that is: `cjack_current_thread`.
  let processThread = Atomic<UInt>(0)

  /// Written by the process thread and the notification thread.
  let bufferSize = Atomic<UInt32>(0)

  // Written by the notification thread.
  let xruns = Atomic<UInt64>(0)
  let sampleRate = Atomic<UInt32>(0)
  let isFreewheeling = Atomic<Bool>(false)
  let isShutDown = Atomic<Bool>(false)
  /// Valid once `isShutDown` is set. Zero-terminated.
  private let reason: UnsafeMutableBufferPointer<CChar>
  /// The threads that libjack has told of, so that the kernel can be asked how it schedules them.
  let threads: ThreadTable
  /// An eventfd(2) that is readable when there may be a notice.
  let eventDescriptor: Int32

  init(channels: Int, eventDescriptor: Int32) {
    self.eventDescriptor = eventDescriptor
    threads = ThreadTable()
    unsafe ports = .allocate(capacity: channels)
    unsafe ports.initialize(repeating: nil)
    unsafe spare = .allocate(capacity: Renderer.maximumFramesPerCycle)
    unsafe spare.initialize(repeating: 0, count: Renderer.maximumFramesPerCycle)
    unsafe buffers = .allocate(capacity: channels)
    unsafe buffers.initialize(repeating: spare)
    unsafe reason = .allocate(capacity: 256)
    unsafe reason.initialize(repeating: 0)
  }

  deinit {
    unsafe ports.deallocate()
    unsafe spare.deallocate()
    unsafe buffers.deallocate()
    unsafe reason.deallocate()
    close(eventDescriptor)
  }

  /// Takes in an opened client. Before any callback.
  mutating func attach(client: OpaquePointer) {
    unsafe self.client = client
    sampleRate.store(unsafe jack_get_sample_rate(client), ordering: .relaxed)
    bufferSize.store(unsafe jack_get_buffer_size(client), ordering: .relaxed)
  }

  /// Sets the port of a channel. Before the client is activated.
  mutating func setPort(_ port: OpaquePointer, channel: Int) {
    unsafe ports[channel] = port
  }

  /// One cycle: every frame of every port is written, with sound or silence.
  @_noLocks
  mutating func process(frameCount: UInt32) {
    guard let client = unsafe client else { return }
    // Sequentially consistent with `isDetached`: either this sees that it is set, or who sets it
    // sees that a cycle runs and waits.
    isInCycle.store(true, ordering: .sequentiallyConsistent)
    let now = jack_get_time()
    let frameTime = unsafe jack_last_frame_time(client)
    if let context, !isDetached.load(ordering: .sequentiallyConsistent) {
      render(context, frameCount: frameCount, frameTime: frameTime, microseconds: now)
    } else {
      renderSilence(frameCount: frameCount)
    }
    account(frameCount: frameCount, frameTime: frameTime, microseconds: now)
    isInCycle.store(false, ordering: .releasing)
  }

  /// Renders in slices of what the renderer takes at most. Only PipeWire can be set to longer cycles.
  @_noLocks
  private mutating func render(
    _ context: RenderContext, frameCount: UInt32, frameTime: UInt32, microseconds: UInt64
  ) {
    let rate = UInt64(max(1, sampleRate.load(ordering: .relaxed)))
    var done = 0
    while done < Int(frameCount) {
      let slice = min(Int(frameCount) - done, maximumSlice)
      for channel in unsafe 0..<buffers.count {
        unsafe buffers[channel] = portBuffer(channel, frameCount).map { unsafe $0 + done } ?? spare
      }
      let cycle = RenderCycle(
        frameCount: slice, frameTime: frameTime &+ UInt32(done),
        hostNanoseconds: microseconds &* 1000 &+ UInt64(done) &* 1_000_000_000 / rate)
      unsafe context.render(cycle, into: buffers)
      done += slice
    }
  }

  @_noLocks
  private func renderSilence(frameCount: UInt32) {
    for channel in unsafe 0..<ports.count {
      if let buffer = unsafe portBuffer(channel, frameCount) {
        unsafe buffer.update(repeating: 0, count: Int(frameCount))
      }
    }
  }

  /// The memory of a port for this cycle; never kept. JACK may have none.
  @_noLocks
  private func portBuffer(_ channel: Int, _ frameCount: UInt32) -> UnsafeMutablePointer<Float>? {
    guard let port = unsafe ports[channel],
      let memory = unsafe jack_port_get_buffer(port, frameCount)
    else { return nil }
    return unsafe memory.assumingMemoryBound(to: Float.self)
  }

  @_noLocks
  private mutating func account(frameCount: UInt32, frameTime: UInt32, microseconds: UInt64) {
    if isFreewheeling.load(ordering: .relaxed) { continuity.reset() }
    let missed = continuity.missedCycles(frameTime: frameTime, frameCount: frameCount)
    // One writer: plain stores of what this thread alone counts.
    missedCycles.store(missedCycles.load(ordering: .relaxed) &+ missed, ordering: .relaxed)
    cycles.store(cycles.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    bufferSize.store(frameCount, ordering: .relaxed)
    lastCycleMicroseconds.store(microseconds, ordering: .relaxed)
    processThread.store(cjack_current_thread(), ordering: .relaxed)
  }

  /// Takes in that the server has ended. On a thread of libjack's.
  mutating func noteShutDown(reason text: UnsafePointer<CChar>?) {
    guard !isShutDown.load(ordering: .relaxed) else { return }
    if let text = unsafe text { unsafe _ = strncpy(reason.baseAddress!, text, reason.count - 1) }
    isShutDown.store(true, ordering: .releasing)
    wakeOwner()
  }

  /// Why the server has ended; nil while it has not, as far as it has told.
  var shutDownReason: String? {
    guard isShutDown.load(ordering: .acquiring) else { return nil }
    let text = unsafe String(cString: reason.baseAddress!)
    return text.isEmpty ? "no reason given" : text
  }

  /// Makes the event descriptor readable. Not from the process callback: it is a system call.
  func wakeOwner() {
    eventfd_write(eventDescriptor, 1)
  }

  /// Makes the event descriptor unreadable until the next change. Before the changes are looked at,
  /// so that none falls in between.
  func acknowledgeWake() {
    var count: eventfd_t = 0
    unsafe eventfd_read(eventDescriptor, &count)
  }
}
