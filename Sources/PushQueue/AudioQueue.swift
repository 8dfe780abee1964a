// SPDX-License-Identifier: MIT

public import AudioModel
public import RenderCore

/// Plays packets that are pushed to it in buffers. Core Audio's AudioQueue, for output.
///
/// Life cycle, and the thread of each step:
///
/// 1. Make it with the packets' format and the renderer of an output. It adds a source to the renderer:
///    several queues of one renderer are mixed.
/// 2. ``allocateBuffer(byteCapacity:packetDescriptionCapacity:)``, fill, ``enqueue(_:descriptions:)``: any
///    thread.
/// 3. ``start(atDeviceTime:)``. The queue's own thread decodes ahead into the ring that the output's render
///    thread pulls from.
/// 4. The callback returns each buffer once its data has been *taken*, which is up to
///    ``decodeBufferSizeFrames`` before it sounds; on a thread of the queue's, or on the caller's executor. It
///    may enqueue the buffer again, free it, or call any other function of the queue.
/// 5. ``stop(immediately:)``, then ``dispose(immediately:)``, or release it.
///
/// Every method may be called from any thread but the render thread, also from inside a callback. The methods
/// that return all buffers, ``stop(immediately:)``, ``reset()`` and ``dispose(immediately:)``, make the
/// callbacks themselves, and wait while another thread is in one: do not hold a lock around them that the
/// callback takes.
public final class AudioQueue: Sendable {
  /// Runs a piece of work soon, in the order of submission.
  public typealias Executor = @Sendable (_ work: @escaping @Sendable () -> Void) -> Void
  /// Receives a buffer whose data has been taken.
  public typealias Callback = @Sendable (_ queue: AudioQueue, _ buffer: AudioQueueBuffer) -> Void

  let core: QueueCore

  /// Creates a stopped queue.
  ///
  /// - Parameters:
  ///   - format: the packets' format: interleaved linear PCM, or anything that this build decodes.
  ///   - renderer: the renderer to play through. Retained by the queue.
  ///   - outputs: the renderer's outputs to play on, a bus of them; nil for all.
  ///   - executor: runs callbacks and listeners; by default a thread of the queue's own.
  ///   - callback: receives each buffer once for each time that it was enqueued, in that order.
  /// - Throws: `'fmt?'`, with the reason, for a format that cannot be played.
  public convenience init(
    playing format: AudioStreamBasicDescription, into renderer: Renderer,
    outputs: Range<Int>? = nil, executor: Executor? = nil, callback: @escaping Callback
  ) throws(AudioQueueError) {
    try self.init(
      engine: QueueEngine(format, renderer: renderer, outputs: outputs), executor: executor,
      hasProducer: true, callback: callback)
  }

  /// - Parameter hasProducer: false for a queue whose owner performs its steps.
  init(
    engine: QueueEngine, executor: Executor?, hasProducer: Bool, callback: @escaping Callback
  ) throws(AudioQueueError) {
    var executor = executor
    if executor == nil {
      guard let thread = CallbackThread() else {
        throw AudioQueueError(.cannotStart, "the system has no thread for the callbacks")
      }
      executor = { thread.run($0) }
    }
    core = QueueCore(engine: engine, executor: executor ?? { $0() }, callback: callback)
    core.setOwner(self)
    guard !hasProducer || core.startProducer() else {
      core.end()
      throw AudioQueueError(.cannotStart, "the system has no thread to decode on")
    }
  }

  deinit {
    core.end()
  }

  /// Performs one step of the producer, for a queue without one.
  @discardableResult
  func step() -> Bool { core.step() }

  /// Whether the queue is playing: from the first frame that the output has rendered until it has stopped, also
  /// while it is paused. `'aqrn'`
  public var isRunning: Bool { core.locked { $0.isReportedRunning } }

  // MARK: Listeners

  /// Adds a function that is called after a property has changed: ``AudioQueueProperty/isRunning`` or
  /// ``AudioQueueProperty/converterError``. The function reads the value itself.
  ///
  /// - Returns: the listener, with which to remove it.
  @discardableResult
  public func addPropertyListener(
    _ property: AudioQueueProperty,
    _ body: @escaping @Sendable (AudioQueue, AudioQueueProperty) -> Void
  ) -> AudioQueueListener {
    core.add(AudioQueueListener(property: property, body: body))
  }

  /// Removes a listener. A call that has begun on another thread goes on.
  public func removePropertyListener(_ listener: AudioQueueListener) {
    core.remove(listener)
  }
}

/// A function that is called when a property of a queue has changed.
public final class AudioQueueListener: Sendable {
  let property: AudioQueueProperty
  let body: @Sendable (AudioQueue, AudioQueueProperty) -> Void

  init(
    property: AudioQueueProperty,
    body: @escaping @Sendable (AudioQueue, AudioQueueProperty) -> Void
  ) {
    self.property = property
    self.body = body
  }
}
