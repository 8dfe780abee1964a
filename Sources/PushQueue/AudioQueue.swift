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
/// 4. The callback gives each buffer back once the data has been *taken*, which is up to
///    ``decodeBufferSizeFrames`` before it is heard; on a thread of the queue's, or wherever the caller's
///    executor brings it. It may enqueue the buffer again, free it, or call anything else of the queue.
/// 5. ``stop(immediately:)``, then ``dispose(immediately:)``, or let go of it.
///
/// Every method may be called from any thread but the render thread, also from inside a callback. Those that
/// give all buffers back, ``stop(immediately:)``, ``reset()`` and ``dispose(immediately:)``, make the callbacks
/// themselves, and wait while another thread is in one: a lock that the callback takes must not be held around
/// them.
public final class AudioQueue: Sendable {
  /// Runs a piece of work soon, in the order in which it was given.
  public typealias Executor = @Sendable (_ work: @escaping @Sendable () -> Void) -> Void
  /// Is given a buffer whose data has been taken.
  public typealias Callback = @Sendable (_ queue: AudioQueue, _ buffer: AudioQueueBuffer) -> Void

  let core: QueueCore

  /// A queue that is stopped.
  ///
  /// - Parameters:
  ///   - format: the packets' format: interleaved linear PCM, or anything that this build decodes.
  ///   - renderer: where it renders to. Kept alive by this.
  ///   - outputs: the renderer's outputs that it is heard on, a bus of them; nil for all.
  ///   - executor: where callbacks and listeners are called; by default a thread of the queue's own.
  ///   - callback: is given each buffer once for each time that it was enqueued, in that order.
  /// - Throws: `'fmt?'` for a format that cannot be played, and says why.
  public convenience init(
    playing format: AudioStreamBasicDescription, into renderer: Renderer,
    outputs: Range<Int>? = nil, executor: Executor? = nil, callback: @escaping Callback
  ) throws(AudioQueueError) {
    try self.init(
      engine: QueueEngine(format, renderer: renderer, outputs: outputs), executor: executor,
      hasProducer: true, callback: callback)
  }

  /// - Parameter hasProducer: false for a queue whose steps its owner makes.
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

  /// One step of the producer, for a queue without one.
  @discardableResult
  func step() -> Bool { core.step() }

  /// Whether it is playing: from the first frame that the output has rendered until it has stopped, also
  /// while it is paused. `'aqrn'`
  public var isRunning: Bool { core.locked { $0.isReportedRunning } }

  // MARK: Listeners

  /// Has a function called after a property has changed: ``AudioQueueProperty/isRunning`` and
  /// ``AudioQueueProperty/converterError`` do. It asks for the value itself.
  ///
  /// - Returns: what to remove it by.
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
