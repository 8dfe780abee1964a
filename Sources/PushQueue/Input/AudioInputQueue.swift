// SPDX-License-Identifier: MIT

public import AudioModel
public import RenderCore

/// Records a renderer's inputs into buffers. Core Audio's AudioQueue, for input.
///
/// Life cycle, and the thread of each step:
///
/// 1. Make it with the wanted format and the renderer of an output that has inputs.
/// 2. ``allocateBuffer(byteCapacity:)`` and ``enqueue(_:)`` some buffers: any thread.
/// 3. ``start(atDeviceFrame:)``. The queue's own thread copies the inputs' frames into the buffers, the first
///    enqueued first, a few milliseconds behind the render thread.
/// 4. The callback returns each buffer when it is full: on the queue's thread, or on the caller's executor. It
///    may read the buffer and enqueue it again, or call any other function of the queue.
/// 5. ``stop(immediately:)``, then ``dispose(immediately:)``, or release it.
///
/// Every enqueued buffer comes back exactly once, in the same order. Frames for which there is no buffer wait
/// for one, for a time; then they are lost, counted and reported as a record underrun.
///
/// Every method may be called from any thread but the render thread, also from inside a callback.
/// ``stop(immediately:)`` at once, ``reset()`` and ``dispose(immediately:)`` at once make the callbacks
/// themselves, and wait while another thread is in one: do not hold a lock around them that the callback takes.
/// The others leave callbacks to the queue's thread or the executor; a queue whose owner performs the steps has
/// no other thread than the caller's.
public final class AudioInputQueue: Sendable {
  /// Runs a piece of work soon, in the order of submission.
  public typealias Executor = @Sendable (_ work: @escaping @Sendable () -> Void) -> Void
  /// Receives a buffer, and the record of its contents.
  public typealias Callback =
    @Sendable (_ queue: AudioInputQueue, _ buffer: AudioQueueBuffer, _ record: AudioInputRecord) ->
    Void
  /// Receives a failure, with ``AudioQueueError/Code/recordUnderrun`` for lost frames.
  public typealias FailureCallback =
    @Sendable (_ queue: AudioInputQueue, _ error: AudioQueueError) -> Void
  /// Receives a property that has changed.
  public typealias PropertyCallback =
    @Sendable (_ queue: AudioInputQueue, _ property: AudioQueueProperty) -> Void

  /// The driver of the queue's steps.
  public enum Driving: Sendable {
    /// A thread of the queue's own.
    case thread
    /// Its owner, by ``AudioInputQueue/step()``: for tests, and where time is not real.
    case owner
  }

  /// The thread's rest between two reads of the inputs.
  private static let restNanoseconds: UInt64 = 4_000_000

  /// Protects the recording against the calling threads. Not held while the caller's functions run.
  let recorder: POSIXMutex<InputRecorder>
  let listeners = POSIXMutex<[Listener]>([])
  private let link: Link
  private let thread: StepThread?
  private let hasExecutor: Bool
  let delivery: CallbackDelivery

  /// Creates a stopped queue.
  ///
  /// - Parameters:
  ///   - format: interleaved linear PCM of the renderer's rate, with 1 to as many channels as it has
  ///     inputs. A rate of 0 is the renderer's.
  ///   - renderer: the renderer whose inputs are recorded. Retained by the queue.
  ///   - inputs: the inputs to record, a bus of them; nil for all.
  ///   - driving: the driver of the steps.
  ///   - heldFrames: frames that wait for a buffer if none is enqueued; by default half a second.
  ///   - executor: runs callbacks and listeners; by default the thread that performs the steps.
  ///   - onFailure: receives each record underrun, and the end of a recording after a change of the output's
  ///     rate.
  ///   - callback: receives each buffer once for each time that it was enqueued, in that order.
  /// - Throws: `'fmt?'`, with the supported formats, for a format that cannot be recorded.
  public init(
    recording format: AudioStreamBasicDescription, from renderer: Renderer,
    inputs: Range<Int>? = nil, driving: Driving = .thread, heldFrames: Int? = nil,
    executor: Executor? = nil,
    onFailure: @escaping FailureCallback = { _, _ in }, callback: @escaping Callback
  ) throws(AudioQueueError) {
    let sampleRate = renderer.sampleRate
    let frames = try InputFrames(
      format, sampleRate: sampleRate, inputs: inputs?.count ?? renderer.inputChannels)
    let recorder = POSIXMutex(
      InputRecorder(
        renderer: renderer, inputs: inputs, frames: frames,
        heldFrames: max(0, heldFrames ?? Int(sampleRate / 2))))
    self.recorder = recorder
    let link = Link()
    self.link = link
    hasExecutor = executor != nil
    delivery = CallbackDelivery(executor: executor ?? { $0() }) {
      guard let queue = link.queue, let call = recorder.withLock({ $0.takeCall() }) else {
        return nil
      }
      return {
        switch call {
        case .buffer(let buffer, let record): callback(queue, buffer, record)
        case .property(let property): queue.tell(property)
        case .failure(let error): onFailure(queue, error)
        }
      }
    }
    thread = driving == .thread ? StepThread() : nil
    link.queue = self
    guard let thread else { return }
    let isStarted = thread.start {
      // The thread must not keep the queue alive.
      link.queue?.threadStep() ?? .finished
    }
    if !isStarted {
      throw AudioQueueError(.cannotStart, "the system has no thread to record on")
    }
  }

  deinit {
    recorder.withLock { $0.abandon() }
    thread?.ring()
  }

  /// The link from the queue's thread to the queue. Written once, before there is a thread.
  private final class Link: @unchecked Sendable {
    weak var queue: AudioInputQueue?
  }

  /// Performs one step of a queue that its owner drives: takes the inputs' new frames, and makes or schedules
  /// the callbacks.
  public func step() {
    recorder.withLock { $0.step() }
    guard recorder.withLock({ $0.hasCalls }) else { return }
    if hasExecutor { delivery.schedule() } else { delivery.deliver() }
  }

  private func threadStep() -> StepThread.Step {
    step()
    let (isActive, isDisposed) = recorder.withLock { ($0.phase != .stopped, $0.isDisposed) }
    if isDisposed { return .finished }
    return .rest(nanoseconds: isActive ? Self.restNanoseconds : nil)
  }

  /// Makes the pending calls: on the caller's executor, on the queue's thread, or here if there is neither.
  private func deliverSoon() {
    guard recorder.withLock({ $0.hasCalls }) else { return }
    if hasExecutor {
      delivery.schedule()
    } else if let thread {
      thread.ring()
    } else {
      delivery.deliver()
    }
  }

  // MARK: Transport

  /// Starts recording, or resumes after a pause. If the queue is running, nothing happens. If it is waiting for
  /// its last buffers to fill, it runs on.
  ///
  /// - Parameter frame: the first frame of the output to record, counted as ``AudioInputTime/deviceFrame`` is;
  ///   one that has passed, also one below 0, which wraps, or nil stands for the next. Only for the start of a
  ///   stopped queue.
  /// - Throws: `disposalPending` after ``dispose(immediately:)``.
  public func start(atDeviceFrame frame: UInt64? = nil) throws(AudioQueueError) {
    try whileUsable { $0.start(atFrame: frame) }
    thread?.ring()
  }

  /// Discards the inputs' frames from now on; buffers stay as they are, and the queue's time stands still. If
  /// the queue is waiting for its last buffers to fill, which do not fill in a pause, it stops: all come back
  /// with their contents.
  ///
  /// - Throws: `disposalPending` after ``dispose(immediately:)``.
  public func pause() throws(AudioQueueError) {
    try whileUsable { $0.pause() }
    deliverSoon()
  }

  /// Stops recording. The queue's time begins at 0 with the next start.
  ///
  /// - Parameter immediately: true stops at once, with the frames received by now: all buffers come back during
  ///   the call, the first with its contents, those behind it empty. False stops when all enqueued buffers are
  ///   full, without waiting for that; at a gap one may come back before it is full. In a pause, in which no
  ///   frames fill a buffer, that is now: all come back with their contents.
  /// - Throws: `disposalPending` after ``dispose(immediately:)``.
  public func stop(immediately: Bool) throws(AudioQueueError) {
    try returning(immediately) { $0.stop(immediately: immediately) }
  }

  /// Returns all buffers during the call, the first with its contents, those behind it empty. A recording goes
  /// on; if it was only waiting for these buffers to fill, it has stopped.
  ///
  /// - Throws: `disposalPending` after ``dispose(immediately:)``.
  public func reset() throws(AudioQueueError) {
    try returning(true) { $0.reset() }
  }

  /// Stops as ``stop(immediately:)`` does, and makes the queue unusable. Once it has stopped and returned its
  /// buffers, no callback follows.
  ///
  /// - Throws: `disposalPending` on a second call; but true is possible while an earlier disposal with false
  ///   waits for the last buffers.
  public func dispose(immediately: Bool) throws(AudioQueueError) {
    try returning(immediately, isDisposal: true) { $0.dispose(immediately: immediately) }
    thread?.ring()
  }

  /// Runs a body that returns buffers. Meanwhile no buffer is accepted: a callback that enqueues each again
  /// would have no end.
  private func returning(
    _ isAtOnce: Bool, isDisposal: Bool = false, _ body: (inout InputRecorder) -> Void
  ) throws(AudioQueueError) {
    try whileUsable(evenIfDisposalWaits: isAtOnce && isDisposal) { recorder in
      body(&recorder)
      // Another thread may be returning buffers.
      if isAtOnce { recorder.isReturning = true }
    }
    guard isAtOnce else {
      deliverSoon()
      return
    }
    delivery.deliver()
    recorder.withLock { $0.isReturning = false }
  }

  func whileUsable<Result>(
    evenIfDisposalWaits: Bool = false,
    _ body: (inout InputRecorder) throws(AudioQueueError) -> Result
  ) throws(AudioQueueError) -> Result {
    try recorder.withLock { recorder throws(AudioQueueError) in
      if recorder.isDisposed || (recorder.isDisposedWhenStopped && !evenIfDisposalWaits) {
        throw AudioQueueError(.disposalPending, "the queue has been disposed of: make another one")
      }
      return try body(&recorder)
    }
  }
}
