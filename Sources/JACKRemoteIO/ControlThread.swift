// SPDX-License-Identifier: MIT

internal import Glibc
internal import RenderCore

/// The thread that makes an output's calls to the server, one after the other. A stopped server never answers
/// and libjack has no time limit. So a caller waits here until a deadline, and a call that hangs blocks only
/// this thread.
///
/// All signals are blocked on it and on the threads that libjack makes from it: they are for the
/// program's own threads, and a dead server's socket raises no SIGPIPE.
final class ControlThread: Sendable {
  private struct Queue {
    var jobs: [@Sendable () -> Void] = []
    var isFinished = false
    /// Runs when the thread is woken without a job; returns when it is to run again.
    var watch: (@Sendable () -> Deadline?)?
  }

  /// Protects the jobs, between callers and the thread.
  private let queue = POSIXMutex(Queue())
  private let wake: WakeSemaphore

  private init(wake: WakeSemaphore) {
    self.wake = wake
  }

  /// Starts the thread. It runs until ``finish()``.
  ///
  /// - Parameter wake: the semaphore with which others wake the thread for the step of ``watch(_:)``.
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
  ///   - isCancelled: called 50 times a second; true ends the wait.
  ///   - meanwhile: runs on the caller's thread before it waits; not after ``finish()``.
  ///   - disposeLate: receives a result that no caller waits for any more, on this thread; after ``finish()``
  ///     on the caller's.
  /// - Returns: the job's result; nil if there is none by the deadline, and the job may then still run; nil,
  ///   too, if `isCancelled` has returned true, even if the result has come meanwhile, because it may not
  ///   return true again; nil at once after ``finish()``, and the job never runs.
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

  /// Sets the step that the thread runs whenever it is woken without a job, until ``finish()``.
  ///
  /// - Parameter step: returns when it is to run again unless the thread is woken before; nil: only then.
  func watch(_ step: @escaping @Sendable () -> Deadline?) {
    queue.withLock { if !$0.isFinished { $0.watch = step } }
    wake.post()
  }

  /// Ends the thread after its queued jobs.
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

  /// A job's result, on its way to the caller.
  private final class Answer<Value: Sendable>: Sendable {
    private enum Progress {
      case awaited
      case given(Value)
      case abandoned
    }

    /// Protects the value, between the thread and the caller.
    private let progress = POSIXMutex(Progress.awaited)
    private let wake = WakeSemaphore()

    /// - Returns: whether the caller still waits for it.
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

    /// Returns the result; if there is none, abandons it.
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
