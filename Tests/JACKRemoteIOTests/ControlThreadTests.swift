// SPDX-License-Identifier: MIT

import Synchronization
import TestKit
import Testing

@testable import JACKRemoteIO

@Suite("The control thread")
struct ControlThreadTests {
  private final class Record: Sendable {
    let entries = Mutex<[Int]>([])
    var all: [Int] { entries.withLock { $0 } }
    func add(_ entry: Int) { entries.withLock { $0.append(entry) } }
  }

  private func deadline(_ seconds: Double) -> Deadline {
    Deadline(nanosecondsFromNow: UInt64(seconds * 1e9))
  }

  @Test("runs jobs in order and returns their results")
  func order() throws {
    let thread = try ControlThread.start()
    let record = Record()
    for entry in 0..<1000 { thread.enqueue { record.add(entry) } }
    #expect(thread.run(until: deadline(10)) { record.all.count } == 1000)
    #expect(record.all == Array(0..<1000))
    thread.finish()
  }

  @Test("releases the caller when a job is cancelled, and disposes of the late result")
  func cancelled() throws {
    let thread = try ControlThread.start()
    let gate = OneTimeEvent()
    let disposed = OneTimeEvent()
    var asked = 0
    let start = monotonicSeconds()
    let result: Void? = thread.run(
      until: deadline(10),
      unless: {
        asked += 1
        return asked == 3
      },
      { gate.wait() }, disposeLate: { disposed.signal() })
    #expect(result == nil && asked == 3)
    #expect(monotonicSeconds() - start < 1)
    gate.signal()
    #expect(disposed.wait(seconds: 10))
    let value = thread.run(until: deadline(10), unless: { false }, { 7 })
    #expect(value == 7)
    thread.finish()
  }

  @Test(
    "cancels a job also if its result arrives during the check, and disposes of the result")
  func cancelledAtTheEnd() throws {
    let thread = try ControlThread.start()
    let gate = OneTimeEvent()
    let disposed = OneTimeEvent()
    let result = thread.run(
      until: deadline(10),
      unless: {
        gate.signal()
        // Queued behind the job, so the job's result exists by then.
        let isDone = OneTimeEvent()
        thread.enqueue { isDone.signal() }
        return isDone.wait(seconds: 10)
      },
      {
        gate.wait()
        return 7
      }, disposeLate: { if $0 == 7 { disposed.signal() } })
    #expect(result == nil)
    #expect(disposed.wait(seconds: 10))
    thread.finish()
  }

  @Test("releases the caller at the deadline, and disposes of a late result")
  func lateResult() throws {
    let thread = try ControlThread.start()
    let record = Record()
    let gate = OneTimeEvent()
    let disposed = OneTimeEvent()
    let start = monotonicSeconds()
    let result = thread.run(
      until: deadline(0.05),
      {
        gate.wait()
        return 7
      },
      disposeLate: {
        record.add($0)
        disposed.signal()
      })
    #expect(result == nil)
    #expect(monotonicSeconds() - start < 1)
    #expect(record.all.isEmpty)
    gate.signal()
    #expect(disposed.wait(seconds: 5))
    #expect(record.all == [7])
    thread.finish()
  }

  @Test("runs its queued jobs before it ends")
  func finish() throws {
    let thread = try ControlThread.start()
    let record = Record()
    let ended = OneTimeEvent()
    for entry in 0..<100 { thread.enqueue { record.add(entry) } }
    thread.enqueue { ended.signal() }
    thread.finish()
    #expect(ended.wait(seconds: 5))
    #expect(record.all.count == 100)
    #expect(!thread.enqueue { record.add(-1) })
    #expect(thread.run(until: deadline(60)) { 1 } == nil)
  }

  @Test("either returns or disposes of a result that meets its deadline")
  func race() throws {
    let thread = try ControlThread.start()
    let record = Record()
    var received = 0
    for _ in 0..<2000 {
      let result = thread.run(
        until: deadline(0.00001), { 1 }, disposeLate: { record.add($0) })
      received += result ?? 0
    }
    let disposed = thread.run(until: deadline(10)) { record.all.count }
    #expect(disposed.map { $0 + received } == 2000)
    thread.finish()
  }

  @Test("runs its watch when woken and when due, and not after its end")
  func watch() throws {
    let wake = WakeSemaphore()
    let thread = try ControlThread.start(wake: wake)
    let steps = Record()
    let isFirst = Mutex(true)
    thread.watch {
      steps.add(0)
      let isDue = isFirst.withLock { first in
        defer { first = false }
        return first
      }
      return isDue ? Deadline(nanosecondsFromNow: 10_000_000) : nil
    }
    #expect(eventually { steps.all.count == 2 })
    wake.post()
    #expect(eventually { steps.all.count == 3 })
    // A job takes precedence over the watch.
    #expect(thread.run(until: deadline(5)) { true } == true)
    thread.finish()
    let count = steps.all.count
    wake.post()
    #expect(!thread.enqueue {})
    #expect(!eventually(seconds: 0.05) { steps.all.count > count + 1 })
  }
}
