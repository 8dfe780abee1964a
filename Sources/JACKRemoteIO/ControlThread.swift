// SPDX-License-Identifier: MIT

internal import Glibc
internal import RenderCore

/// The one thread that makes an output's calls to the server, one after the other. A server that is
/// stopped never answers and libjack has no time limit: so who asks waits here for so long and no
/// longer, and a call that hangs takes no one with it.
///
/// All signals are blocked on it and on the threads that libjack makes from it: they are for the
/// program's own threads, and a dead server's socket raises no SIGPIPE.
final class ControlThread: Sendable {
  private struct Queue {
    var jobs: [@Sendable () -> Void] = []
    var isFinished = false
    /// What the thread does when it has no job and is woken, and when it wants to do that again.
    var watch: (@Sendable () -> Deadline?)?
  }

  /// Protects the jobs. Between those who ask and the thread.
  private let queue = GuardedState(Queue())
  private let wake: WakeSemaphore

  private init(wake: WakeSemaphore) {
    self.wake = wake
  }

  /// Starts the thread. It runs until ``finish()``.
  ///
  /// - Parameter wake: what others wake it with, to let it do what it was given to ``watch(_:)``.
  static func start(
    wake: WakeSemaphore = WakeSemaphore()
  ) throws(RemoteIOError) -> ControlThread {
    let thread = ControlThread(wake: wake)
    var before = sigset_t()
    var all = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
    let argument = unsafe Unmanaged.passRetained(thread).toOpaque()
    var handle = pthread_t()
    let result = unsafe pthread_create(&handle, nil, runControlThread, argument)
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    guard result == 0 else {
      unsafe Unmanaged<ControlThread>.fromOpaque(argument).release()
      throw .outOfResources("threads")
    }
    pthread_detach(handle)
    return thread
  }

  /// Runs a job after those before it.
  ///
  /// - Parameters:
  ///   - isCancelled: asked 50 times a second: whether it is to be waited for no longer.
  ///   - meanwhile: is done by who asks, before it waits; not after ``finish()``.
  ///   - disposeLate: is given the result, on the thread, when no one waits for it any more.
  /// - Returns: its result, or nil when it is not there by the deadline; the job may then still run. nil, too,
  ///   when `isCancelled` has said so, whatever has come meanwhile: it may not say so again.
  ///   nil at once, and the job never runs, after ``finish()``.
  func run<Result: Sendable>(
    until deadline: Deadline, unless isCancelled: (() -> Bool)? = nil,
    meanwhile: () -> Void = {}, _ job: @escaping @Sendable () -> Result,
    disposeLate: @escaping @Sendable (Result) -> Void = { _ in }
  ) -> Result? {
    let answer = Answer<Result>()
    let isTaken = enqueue {
      let result = job()
      if !answer.give(result) { disposeLate(result) }
    }
    guard isTaken else { return nil }
    meanwhile()
    let isCancelled = answer.wait(until: deadline, unless: isCancelled)
    guard let result = answer.take() else { return nil }
    if !isCancelled { return result }
    if !enqueue({ disposeLate(result) }) { disposeLate(result) }
    return nil
  }

  /// Runs a job after those before it, without waiting.
  ///
  /// - Returns: false, and the job never runs, after ``finish()``.
  @discardableResult
  func enqueue(_ job: @escaping @Sendable () -> Void) -> Bool {
    let isTaken = queue.withLock { queue in
      if !queue.isFinished { queue.jobs.append(job) }
      return !queue.isFinished
    }
    wake.post()
    return isTaken
  }

  /// Has the thread do something whenever it has no job and is woken, until ``finish()``.
  ///
  /// - Parameter step: does it once; returns when it is to be done again unless woken before, if ever.
  func watch(_ step: @escaping @Sendable () -> Deadline?) {
    queue.withLock { if !$0.isFinished { $0.watch = step } }
    wake.post()
  }

  /// Ends the thread after the jobs that it has.
  func finish() {
    queue.withLock { queue in
      queue.isFinished = true
      queue.watch = nil
    }
    wake.post()
  }

  fileprivate func loop() {
    while true {
      let (job, watch, isFinished) = queue.withLock { queue in
        (queue.jobs.isEmpty ? nil : queue.jobs.removeFirst(), queue.watch, queue.isFinished)
      }
      if let job {
        job()
      } else if isFinished {
        return
      } else if let watch, let next = watch() {
        wake.wait(until: next)
      } else {
        wake.wait()
      }
    }
  }

  /// A job's result on its way back.
  private final class Answer<Value: Sendable>: Sendable {
    private enum Progress {
      case awaited
      case given(Value)
      case abandoned
    }

    /// Protects the value, between the thread and who asked.
    private let progress = GuardedState(Progress.awaited)
    private let wake = WakeSemaphore()

    /// - Returns: whether someone still waits for it.
    func give(_ value: Value) -> Bool {
      let isAwaited = progress.withLock { progress in
        if case .abandoned = progress { return false }
        progress = .given(value)
        return true
      }
      wake.post()
      return isAwaited
    }

    private var isGiven: Bool {
      progress.withLock { progress in
        if case .given = progress { true } else { false }
      }
    }

    /// - Returns: whether it was cancelled.
    func wait(until deadline: Deadline, unless isCancelled: (() -> Bool)?) -> Bool {
      guard let isCancelled else {
        wake.wait(until: deadline)
        return false
      }
      while !isGiven, !deadline.hasPassed {
        if isCancelled() { return true }
        wake.wait(until: Deadline(nanosecondsFromNow: 20_000_000))
      }
      return false
    }

    /// What was given; if nothing was, nobody waits for it from now on.
    func take() -> Value? {
      progress.withLock { progress in
        if case .given(let value) = progress { return value }
        progress = .abandoned
        return nil
      }
    }
  }
}

private func runControlThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let argument = unsafe argument {
    unsafe Unmanaged<ControlThread>.fromOpaque(argument).takeRetainedValue().loop()
  }
  return nil
}
