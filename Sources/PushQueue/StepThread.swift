// SPDX-License-Identifier: MIT

internal import Glibc
internal import RenderCore

/// A thread that repeats a step, and rests between two of them until it is rung or some time has passed.
final class StepThread: Sendable {
  /// The action after a step.
  enum Step: Equatable {
    case again
    /// Rests until it is rung or, with a number, until this time has passed.
    case rest(nanoseconds: UInt64?)
    /// Ends the thread.
    case finished
  }

  fileprivate let bell = Wakeup()

  /// Ends a rest, or the next one. Any thread but the render thread.
  func ring() { bell.ring() }

  /// Starts the thread, which ends with a `finished` step and retains `step` until then. Call it once.
  ///
  /// - Returns: false when the system has no thread.
  func start(repeating step: @escaping @Sendable () -> Step) -> Bool {
    var thread = pthread_t()
    let work = unsafe Unmanaged.passRetained(ThreadWork(thread: self, step: step))
    let argument = unsafe work.toOpaque()
    guard unsafe pthread_create(&thread, nil, { unsafe runSteps($0) }, argument) == 0 else {
      unsafe work.release()
      return false
    }
    pthread_detach(thread)
    return true
  }
}

private final class ThreadWork {
  let thread: StepThread
  let step: @Sendable () -> StepThread.Step

  init(thread: StepThread, step: @escaping @Sendable () -> StepThread.Step) {
    self.thread = thread
    self.step = step
  }
}

private func runSteps(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let argument = unsafe argument else { return nil }
  let work = unsafe Unmanaged<ThreadWork>.fromOpaque(argument).takeRetainedValue()
  while true {
    switch work.step() {
    case .again: continue
    case .rest(let nanoseconds): work.thread.bell.wait(nanoseconds: nanoseconds)
    case .finished: return nil
    }
  }
}
