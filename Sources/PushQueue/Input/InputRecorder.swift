// SPDX-License-Identifier: MIT

internal import AudioModel
internal import RenderCore

/// The state of an input queue: the filling of its buffers, and the pending calls. Without threads or locks:
/// each method is one step, and calls wait in a list.
struct InputRecorder {
  enum Phase {
    case stopped
    case running
    case paused
    /// Stops when every enqueued buffer is full.
    case draining
  }

  /// A pending call; calls are made in order.
  enum Call {
    case buffer(AudioQueueBuffer, AudioInputRecord)
    case property(AudioQueueProperty)
    case failure(AudioQueueError)
  }

  let renderer: Renderer
  private let inputs: Range<Int>?
  var frames: InputFrames
  /// Frames that wait for a buffer; further ones are lost.
  let heldFrames: Int
  private(set) var phase = Phase.stopped
  private(set) var isDisposed = false
  /// Whether it is disposed of as soon as it has stopped.
  private(set) var isDisposedWhenStopped = false
  /// Whether buffers are being returned, so that none is accepted.
  var isReturning = false
  private(set) var counters = AudioInputCounters()
  private var calls: [Call] = []
  private var waiting: [AudioQueueBuffer] = []
  private var inlet: Inlet?
  /// The first frame of the output to record.
  private var startFrame: UInt64 = 0
  /// Whether the first frame has come.
  private var hasBegun = false
  /// Queue time of the next frame.
  private var time: Int64 = 0
  /// The moment of the first frame in the first buffer.
  private var startTime: AudioInputTime?
  private var lossBefore = AudioInputLoss.none
  private var isUnderrun = false

  /// The origin of frames, while it is not stopped.
  private final class Inlet {
    var reader: CaptureReader

    init(_ reader: consuming CaptureReader) {
      self.reader = reader
    }
  }

  init(renderer: Renderer, inputs: Range<Int>?, frames: InputFrames, heldFrames: Int) {
    self.inputs = inputs
    self.renderer = renderer
    self.frames = frames
    self.heldFrames = heldFrames
  }

  /// Whether it is recording: from the first frame until it has stopped, also while it is paused.
  var isRunning: Bool { hasBegun && phase != .stopped }

  /// The queue's time; nil when it is stopped.
  var currentTime: Double? { phase == .stopped ? nil : Double(time) }

  var hasCalls: Bool { !calls.isEmpty }

  /// Removes and returns the oldest pending call. A buffer becomes the caller's here.
  mutating func takeCall() -> Call? {
    guard !calls.isEmpty else { return nil }
    let call = calls.removeFirst()
    if case .buffer(let buffer, _) = call { buffer.place = .caller }
    return call
  }

  // MARK: Buffers

  mutating func enqueue(_ buffer: AudioQueueBuffer) {
    buffer.removeAll()
    buffer.place = .queue
    waiting.append(buffer)
  }

  /// Returns every buffer with its contents.
  private mutating func returnAll() {
    while !waiting.isEmpty { returnFirst() }
  }

  private mutating func returnFirst() {
    let buffer = waiting.removeFirst()
    let isEmpty = startTime == nil
    calls.append(
      .buffer(
        buffer,
        AudioInputRecord(
          startTime: startTime, packetCount: buffer.byteCount / frames.bytesPerFrame,
          lossBefore: isEmpty ? .none : lossBefore)))
    if isEmpty { return }
    startTime = nil
    lossBefore = .none
  }

  // MARK: Transport

  mutating func start(atFrame frame: UInt64?) {
    switch phase {
    case .running: return
    case .paused:
      // Frames of the pause are not recorded.
      step()
      if phase == .paused { phase = .running }
    case .draining: phase = .running
    case .stopped:
      // No output reaches the upper half: such a frame was below 0.
      startFrame = frame.map { $0 > UInt64(Int64.max) ? 0 : $0 } ?? 0
      hasBegun = false
      time = 0
      lossBefore = .none
      isUnderrun = false
      inlet = Inlet(
        renderer.addCapture(
          capacityFrames: heldFrames + max(1 << 14, Int(renderer.sampleRate)), inputs: inputs))
      phase = .running
    }
  }

  mutating func pause() {
    guard phase == .running || phase == .draining else { return }
    step()
    switch phase {
    case .stopped: return
    // A pause brings no frames that could fill the buffers for which it waits.
    case .draining: end()
    case .running, .paused: phase = .paused
    }
  }

  mutating func stop(immediately: Bool) {
    guard phase != .stopped else {
      returnAll()
      return
    }
    step()
    if phase == .stopped { return }
    // A pause brings no frames that could fill a buffer.
    if !immediately, phase != .paused, !waiting.isEmpty {
      phase = .draining
      return
    }
    end()
  }

  /// Ends the recording and returns all buffers.
  private mutating func end() {
    close()
    returnAll()
    phase = .stopped
    if hasBegun { calls.append(.property(.isRunning)) }
    hasBegun = false
    if isDisposedWhenStopped { isDisposed = true }
  }

  mutating func reset() {
    step()
    if phase == .draining { end() } else { returnAll() }
  }

  mutating func dispose(immediately: Bool) {
    stop(immediately: immediately)
    if phase == .stopped { isDisposed = true } else { isDisposedWhenStopped = true }
  }

  /// Detaches from the renderer without a call.
  mutating func abandon() {
    close()
    isDisposed = true
    waiting.removeAll()
    calls.removeAll()
  }

  private mutating func close() {
    if let inlet { renderer.remove(inlet.reader) }
    inlet = nil
  }

  // MARK: Frames

  /// Takes the inputs' new frames into buffers, or drops them.
  mutating func step() {
    if phase != .stopped, renderer.sampleRate != frames.format.sampleRate {
      calls.append(
        .failure(
          AudioQueueError(
            .formatNotSupported,
            "the output went over to \(renderer.sampleRate) Hz while \(frames.format.sampleRate) Hz "
              + "were recorded: make another queue")))
      end()
    }
    while phase != .stopped, takeSome() {
      if phase == .draining, waiting.isEmpty { end() }
    }
  }

  /// - Returns: false when there is nothing more to do now.
  private mutating func takeSome() -> Bool {
    guard let inlet else { return false }
    let limit = wantedFrames(inlet.reader.availableFrames)
    guard limit > 0 else { return false }
    let item = inlet.reader.read(atMost: limit) { _, channel, samples in
      frames.keep(samples, of: channel)
    }
    switch item {
    case .empty: return false
    case .discontinuity(let reason): note(reason)
    case .frames(let captured): take(captured)
    }
    return true
  }

  /// Returns the number of frames to take now: those that fit into the first buffer, or that have waited too
  /// long.
  private func wantedFrames(_ available: Int) -> Int {
    let chunk = InputFrames.chunkFrames
    if phase == .paused { return chunk }
    guard let buffer = waiting.first else { return min(chunk, available - heldFrames) }
    return min(chunk, (buffer.byteCapacity - buffer.byteCount) / frames.bytesPerFrame)
  }

  private mutating func note(_ reason: CaptureDiscontinuity) {
    // Before the first frame and in a pause no frame is lost.
    guard hasBegun, phase != .paused else { return }
    switch reason {
    case .overrun(let frames): lose(AudioInputLoss(overrunFrames: frames), frames: frames)
    case .missed(let frames): lose(AudioInputLoss(missedFrames: frames), frames: frames)
    case .unmeasured: lose(AudioInputLoss(isUnmeasured: true), frames: 0)
    }
  }

  /// Counts a loss, and returns the first buffer, so that there is no gap in it.
  private mutating func lose(_ loss: AudioInputLoss, frames: UInt64) {
    time += Int64(frames)
    counters.loss.add(loss)
    if startTime != nil { returnFirst() }
    lossBefore.add(loss)
  }

  private mutating func take(_ captured: CapturedFrames) {
    guard phase != .paused else { return }
    let wait = startFrame > captured.deviceFrame ? startFrame - captured.deviceFrame : 0
    let skipped = Int(min(wait, UInt64(captured.frameCount)))
    if skipped > 0 { time = Int64(skipped) - Int64(wait) }
    let count = captured.frameCount - skipped
    guard count > 0 else { return }
    if !hasBegun {
      hasBegun = true
      // If the start has passed in a pause, the time is not 0 yet.
      time = 0
      calls.append(.property(.isRunning))
    }
    guard let buffer = waiting.first else {
      noteUnderrun()
      lose(AudioInputLoss(underrunFrames: UInt64(count)), frames: UInt64(count))
      return
    }
    isUnderrun = false
    if startTime == nil { startTime = moment(of: captured, skipping: skipped) }
    frames.write(skipped..<captured.frameCount, to: buffer)
    time += Int64(count)
    counters.recordedFrames += UInt64(count)
    if buffer.byteCapacity - buffer.byteCount < frames.bytesPerFrame { returnFirst() }
  }

  /// Reports once that buffers are missing, until there is one again.
  private mutating func noteUnderrun() {
    guard !isUnderrun else { return }
    isUnderrun = true
    counters.underruns += 1
    calls.append(
      .failure(
        AudioQueueError(
          .recordUnderrun,
          "frames are lost because no buffer was enqueued: enqueue more buffers, or larger ones")))
  }

  private func moment(of captured: CapturedFrames, skipping skipped: Int) -> AudioInputTime {
    let offset = Double(captured.offsetInCycle + skipped) * 1_000_000_000 / frames.format.sampleRate
    return AudioInputTime(
      sampleTime: Double(time), deviceFrame: captured.deviceFrame + UInt64(skipped),
      hostNanoseconds: captured.cycleNanoseconds + UInt64(offset.rounded()))
  }
}
