// SPDX-License-Identifier: MIT

internal import RenderCore

/// The shared state of a queue's threads: the engine with its lock, and the delivery of callbacks.
///
/// The queue's threads retain this, and this does not retain the queue.
final class QueueCore: Sendable {
  /// The state that the calls need, too.
  private final class Shared: Sendable {
    struct State {
      let engine: QueueEngine
      var listeners: [AudioQueueListener] = []
      weak var owner: AudioQueue?
    }

    /// Protects the engine and the listeners. Held for one step at most, never around a call.
    let state: POSIXMutex<State>
    private let callback: AudioQueue.Callback

    init(engine: QueueEngine, callback: @escaping AudioQueue.Callback) {
      state = POSIXMutex(State(engine: engine))
      self.callback = callback
    }

    /// Removes and returns the oldest pending call. A buffer becomes the caller's here.
    func nextCall() -> (() -> Void)? {
      let (call, owner, listeners) = state.withLock { state in
        let call = state.engine.calls.removeFirst()
        if case .returned(let buffer) = call { buffer.place = .caller }
        return (call, state.owner, state.listeners)
      }
      guard let call, let owner else { return nil }
      switch call {
      case .returned(let buffer): return { [callback] in callback(owner, buffer) }
      case .changed(let property):
        return {
          for listener in listeners where listener.property == property {
            listener.body(owner, property)
          }
        }
      }
    }
  }

  private let shared: Shared
  private let producer = StepThread()
  private let delivery: CallbackDelivery

  init(
    engine: QueueEngine, executor: @escaping AudioQueue.Executor,
    callback: @escaping AudioQueue.Callback
  ) {
    let shared = Shared(engine: engine, callback: callback)
    self.shared = shared
    delivery = CallbackDelivery(executor: executor) { shared.nextCall() }
  }

  func setOwner(_ owner: AudioQueue) {
    shared.state.withLock { $0.owner = owner }
  }

  func startProducer() -> Bool {
    producer.start { [self] in
      if step() { return .again }
      return locked { engine in
        engine.isDisposed ? .finished : .rest(nanoseconds: engine.restNanoseconds)
      }
    }
  }

  /// Runs `body` with exclusive use of the engine, and schedules the resulting calls.
  func locked<Result: Sendable>(
    _ body: (QueueEngine) throws(AudioQueueError) -> Result
  ) throws(AudioQueueError) -> Result {
    let (result, hasCalls) = try shared.state.withLock { state throws(AudioQueueError) in
      let result = try body(state.engine)
      return (result, !state.engine.calls.isEmpty)
    }
    if hasCalls { delivery.schedule() }
    return result
  }

  func locked<Result: Sendable>(_ body: (QueueEngine) -> Result) -> Result {
    let (result, hasCalls) = shared.state.withLock { state in
      let result = body(state.engine)
      return (result, !state.engine.calls.isEmpty)
    }
    if hasCalls { delivery.schedule() }
    return result
  }

  func step() -> Bool { locked { $0.step() } }

  /// Wakes the producer for a step.
  func ringProducer() {
    producer.ring()
  }

  /// Makes the pending calls before it returns.
  func deliver() {
    delivery.deliver()
  }

  /// Ends the producer; no call is made any more.
  func end() {
    shared.state.withLock { state in
      state.engine.calls.removeAll()
      state.engine.end()
    }
    producer.ring()
  }

  func add(_ listener: AudioQueueListener) -> AudioQueueListener {
    shared.state.withLock { $0.listeners.append(listener) }
    return listener
  }

  func remove(_ listener: AudioQueueListener) {
    shared.state.withLock { state in state.listeners.removeAll { $0 === listener } }
  }
}
