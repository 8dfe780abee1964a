// SPDX-License-Identifier: MIT

public import AudioModel
internal import RenderCore

extension AudioInputQueue {
  /// The recording's format, with every field filled in. `'aqft'`
  public var streamDescription: AudioStreamBasicDescription {
    recorder.withLock { $0.frames.format }
  }

  /// Whether it is recording: from the first frame until it has stopped, also while it is paused. `'aqrn'`
  public var isRunning: Bool { recorder.withLock { $0.isRunning } }

  /// Returns the queue's time: frames recorded or lost since the start, as of its last step; below 0 before a
  /// start at a later frame.
  ///
  /// - Throws: `stopped` when the queue is stopped.
  public func currentTime() throws(AudioQueueError) -> Double {
    guard let time = recorder.withLock({ $0.currentTime }) else {
      throw AudioQueueError(.stopped, "the queue is stopped and has no time: start it")
    }
    return time
  }

  /// The numbers of recorded and lost frames.
  public var counters: AudioInputCounters { recorder.withLock { $0.counters } }

  /// Whether levels are measured; off at first. `'aqme'`
  public var isLevelMeteringEnabled: Bool {
    get { recorder.withLock { $0.frames.isMeasuring } }
    set { recorder.withLock { $0.frames.isMeasuring = newValue } }
  }

  /// Returns the level of each recorded channel since the last call. `'aqmv'`
  public func currentLevels() -> [AudioQueueLevel] { recorder.withLock { $0.frames.takeLevels() } }

  // MARK: Listeners

  /// A function that is called when a property has changed.
  public final class Listener: Sendable {
    let property: AudioQueueProperty
    let body: PropertyCallback

    init(property: AudioQueueProperty, body: @escaping PropertyCallback) {
      self.property = property
      self.body = body
    }
  }

  /// Adds a function that is called after a property has changed: ``AudioQueueProperty/isRunning``. The
  /// function reads the value itself.
  ///
  /// - Returns: the listener, with which to remove it.
  @discardableResult
  public func addPropertyListener(
    _ property: AudioQueueProperty, _ body: @escaping PropertyCallback
  ) -> Listener {
    let listener = Listener(property: property, body: body)
    listeners.withLock { $0.append(listener) }
    return listener
  }

  /// Removes a listener. A call that has begun on another thread goes on.
  public func removePropertyListener(_ listener: Listener) {
    listeners.withLock { $0.removeAll { $0 === listener } }
  }

  func tell(_ property: AudioQueueProperty) {
    for listener in listeners.withLock({ $0 }) where listener.property == property {
      listener.body(self, property)
    }
  }
}
