// SPDX-License-Identifier: MIT

public import AudioModel
public import RenderCore

/// Records a renderer's inputs into buffers. Core Audio's AudioQueue, for input.
///
/// Life cycle, and the thread of each step:
///
/// 1. Make it with the wanted format and the renderer of an output that has inputs.
/// 2. ``allocateBuffer(byteCapacity:)`` and ``enqueue(_:)`` some buffers: any thread.
/// 3. ``start(atDeviceFrame:)``. The queue's own thread copies what the inputs bring into the buffers, the
///    first enqueued first, a few milliseconds behind the render thread.
/// 4. The callback gives each buffer back when it is full: on the queue's thread, or wherever the caller's
///    executor brings it. It may read it and enqueue it again, or call anything else of the queue.
/// 5. ``stop(immediately:)``, then ``dispose(immediately:)``, or let go of it.
///
/// Every buffer that was enqueued comes back exactly once, in the same order. Frames for which there is no
/// buffer wait for one, for a time; then they are lost, counted and told as a record underrun.
///
/// Every method may be called from any thread but the render thread, also from inside a callback.
/// ``stop(immediately:)`` at once, ``reset()`` and ``dispose(immediately:)`` at once make the callbacks
/// themselves, and wait while another thread is in one: a lock that the callback takes must not be held
/// around them. The others leave callbacks to the queue's thread or the executor; those of a queue whose
/// owner makes the steps have no other thread than the caller's.
public final class AudioInputQueue: Sendable {
  /// Runs a piece of work soon, in the order in which it was given.
  public typealias Executor = @Sendable (_ work: @escaping @Sendable () -> Void) -> Void
  /// Is given a buffer, and what is in it.
  public typealias Callback =
    @Sendable (_ queue: AudioInputQueue, _ buffer: AudioQueueBuffer, _ record: AudioInputRecord) ->
    Void
  /// Is told what went wrong, with ``AudioQueueError/Code/recordUnderrun`` for lost frames.
  public typealias FailureCallback =
    @Sendable (_ queue: AudioInputQueue, _ error: AudioQueueError) -> Void
  /// Is told that a property has changed.
  public typealias PropertyCallback =
    @Sendable (_ queue: AudioInputQueue, _ property: AudioQueueProperty) -> Void

  /// Who makes the queue's steps.
  public enum Driving: Sendable {
    /// A thread of the queue's own.
    case thread
    /// Its owner, by ``AudioInputQueue/step()``: for tests, and where time is not real.
    case owner
  }

  /// How long the thread rests between two looks at the inputs.
  private static let restNanoseconds: UInt64 = 4_000_000

  /// Protects the recording against the threads that call. Not held while the caller's functions run.
  let recorder: GuardedState<InputRecorder>
  let listeners = GuardedState<[Listener]>([])
  private let link: Link
  private let thread: StepThread?
  private let hasExecutor: Bool
  let delivery: CallbackDelivery

  /// A queue that is stopped.
  ///
  /// - Parameters:
  ///   - format: interleaved linear PCM of the renderer's rate, with 1 to as many channels as it has
  ///     inputs. A rate of 0 is the renderer's.
  ///   - renderer: whose inputs are recorded. Kept alive by this.
  ///   - inputs: the inputs that are recorded, a bus of them; nil for all.
  ///   - driving: who makes the steps.
  ///   - heldFrames: frames that wait for a buffer where none is enqueued; by default half a second.
  ///   - executor: where callbacks and listeners are called; by default the thread that makes the steps.
  ///   - onFailure: is told of each record underrun, and of the end of a recording because the output's
  ///     rate has changed.
  ///   - callback: is given each buffer once for each time that it was enqueued, in that order.
  /// - Throws: `'fmt?'` for a format that cannot be recorded, and says what can.
  public init(
    recording format: AudioStreamBasicDescription, from renderer: Renderer,
    inputs: Range<Int>? = nil, driving: Driving = .thread, heldFrames: Int? = nil,
    executor: Executor? = nil,
    onFailure: @escaping FailureCallback = { _, _ in }, callback: @escaping Callback
  ) throws(AudioQueueError) {
    let sampleRate = renderer.sampleRate
    let frames = try InputFrames(
      format, sampleRate: sampleRate, inputs: inputs?.count ?? renderer.inputChannels)
    let recorder = GuardedState(
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
      // Not kept alive by its own thread.
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

  /// The way from the queue's thread to the queue. Written once, before there is a thread.
  private final class Link: @unchecked Sendable {
    weak var queue: AudioInputQueue?
  }

  /// One step of a queue that its owner drives: takes what the inputs have brought, and has the callbacks
  /// called.
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

  /// Has the calls made that there are: on the caller's executor, on the queue's thread, or here where there
  /// is neither.
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

  /// Begins to record, or goes on after a pause. Already running: nothing happens. While it waits for its
  /// last buffers to fill, it runs on.
  ///
  /// - Parameter frame: the output's frame, counted as ``AudioInputTime/deviceFrame`` is, that shall be the
  ///   first; one that has passed, also one below 0, which wraps, or nil, is the next. Only for the start of
  ///   a stopped queue.
  /// - Throws: `disposalPending` after ``dispose(immediately:)``.
  public func start(atDeviceFrame frame: UInt64? = nil) throws(AudioQueueError) {
    try whileUsable { $0.start(atFrame: frame) }
    thread?.ring()
  }

  /// Lets what comes pass by from now on; buffers stay as they are, and the queue's time stands. While it
  /// waits for its last buffers to fill, which they do not in a pause, it stops: all come back with what they
  /// have.
  ///
  /// - Throws: `disposalPending` after ``dispose(immediately:)``.
  public func pause() throws(AudioQueueError) {
    try whileUsable { $0.pause() }
    deliverSoon()
  }

  /// Ends the recording. The queue's time begins at 0 with the next start.
  ///
  /// - Parameter immediately: at once, with what has come by now: all buffers come back during the call,
  ///   the first with what it has, those behind it empty. Otherwise when all buffers that are enqueued are
  ///   full, without waiting for that; at a gap one may come back before it is. In a pause, where nothing
  ///   comes that fills one, that is now: all come back with what they have.
  /// - Throws: `disposalPending` after ``dispose(immediately:)``.
  public func stop(immediately: Bool) throws(AudioQueueError) {
    try returning(immediately) { $0.stop(immediately: immediately) }
  }

  /// Gives all buffers back during the call, the first with what it has, those behind it empty. It goes on
  /// recording, if it does; where it only waited for these buffers to fill, it has stopped.
  ///
  /// - Throws: `disposalPending` after ``dispose(immediately:)``.
  public func reset() throws(AudioQueueError) {
    try returning(true) { $0.reset() }
  }

  /// Stops as ``stop(immediately:)`` does, and can then not be used any more. No callback follows.
  ///
  /// - Throws: `disposalPending` when it was called before; at once is possible, too, while a disposal that
  ///   is not waits for the last buffers.
  public func dispose(immediately: Bool) throws(AudioQueueError) {
    try returning(immediately, isDisposal: true) { $0.dispose(immediately: immediately) }
    thread?.ring()
  }

  /// Does what gives buffers back. While they are, no buffer is taken: a callback that enqueues each again
  /// would have no end.
  private func returning(
    _ isAtOnce: Bool, isDisposal: Bool = false, _ body: (inout InputRecorder) -> Void
  ) throws(AudioQueueError) {
    try whileUsable(evenIfDisposalWaits: isAtOnce && isDisposal) { recorder in
      body(&recorder)
      // Another thread may be giving them back.
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
