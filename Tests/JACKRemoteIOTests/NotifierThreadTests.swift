// SPDX-License-Identifier: MIT

import Glibc
import TestKit
import Testing

@testable import JACKRemoteIO

@Suite("The thread that receives a server's notifications")
struct NotifierThreadTests {
  /// The work of a test thread: an event to wait for, and a pipe to read.
  private final class Task: Sendable {
    let mayRead = OneTimeEvent()
    let pipe: (read: Int32, write: Int32)

    init() {
      var ends: [Int32] = [-1, -1]
      unsafe Glibc.pipe(&ends)
      pipe = (ends[0], ends[1])
    }

    deinit {
      close(pipe.read)
      close(pipe.write)
    }
  }

  /// Creates a notifier's thread in libjack's way, which is busy until it may read a byte.
  private func start(_ task: Task, for notifier: NotifierThread) -> pthread_t {
    var thread = pthread_t()
    notifier.opening {
      let argument = unsafe Unmanaged.passRetained(task).toOpaque()
      let status = unsafe makeThread(
        &thread, nil,
        { argument in
          let task = unsafe Unmanaged<Task>.fromOpaque(argument!).takeRetainedValue()
          task.mayRead.wait()
          var byte: UInt8 = 0
          unsafe read(task.pipe.read, &byte, 1)
          return nil
        }, argument)
      #expect(status == 0)
    }
    return thread
  }

  @Test("is waited for while it works, and not once it waits or has ended")
  func busy() {
    let notifier = NotifierThread()
    let task = Task()
    let thread = start(task, for: notifier)
    #expect(eventually { notifier.isKnown })
    func isIdle(withinNanoseconds nanoseconds: UInt64) -> Bool {
      let deadline = Deadline(nanosecondsFromNow: nanoseconds)
      notifier.waitUntilIdle(until: deadline)
      return !deadline.hasPassed
    }
    #expect(!isIdle(withinNanoseconds: 50_000_000))
    task.mayRead.signal()
    #expect(isIdle(withinNanoseconds: 20_000_000_000))
    #expect(isIdle(withinNanoseconds: 20_000_000_000))
    var byte: UInt8 = 0
    unsafe write(task.pipe.write, &byte, 1)
    unsafe pthread_join(thread, nil)
    #expect(isIdle(withinNanoseconds: 20_000_000_000))
  }

  @Test("is waited for beyond a server's time to end, as long as it is busy")
  func starved() {
    let notifier = NotifierThread()
    let task = Task()
    let hasWaited = OneTimeEvent()
    let thread = start(task, for: notifier)
    #expect(eventually { notifier.isKnown })
    startThread {
      ServerFarewell(notifier: notifier).waitUntilIdle()
      hasWaited.signal()
    }
    #expect(!hasWaited.wait(seconds: 1))
    task.mayRead.signal()
    #expect(hasWaited.wait(seconds: 20))
    var byte: UInt8 = 0
    unsafe write(task.pipe.write, &byte, 1)
    unsafe pthread_join(thread, nil)
  }

  @Test("is a separate one for each client")
  func several() {
    let notifiers = [NotifierThread(), NotifierThread()]
    let tasks = notifiers.map { _ in Task() }
    let threads = zip(tasks, notifiers).map { start($0, for: $1) }
    #expect(eventually { notifiers.allSatisfy { $0.isKnown } })
    tasks[1].mayRead.signal()
    let (patience, impatience) = (
      Deadline(nanosecondsFromNow: 20_000_000_000), Deadline(nanosecondsFromNow: 50_000_000)
    )
    notifiers[1].waitUntilIdle(until: patience)
    notifiers[0].waitUntilIdle(until: impatience)
    #expect(!patience.hasPassed && impatience.hasPassed)
    tasks[0].mayRead.signal()
    for task in tasks {
      var byte: UInt8 = 0
      unsafe write(task.pipe.write, &byte, 1)
    }
    for thread in threads { unsafe pthread_join(thread, nil) }
  }
}
