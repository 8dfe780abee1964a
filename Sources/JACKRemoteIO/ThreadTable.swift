// SPDX-License-Identifier: MIT

internal import CJACK
internal import Glibc
internal import RenderCore

/// The kernel's thread IDs of libjack's threads. jack2 initialises three threads with the same callback and
/// makes the process thread real-time only afterwards. So the callback records the ID, the process thread
/// identifies itself by its thread pointer, and the scheduling is read later.
struct ThreadTable: ~Copyable {
  /// Protects the table. Taken when a thread begins and by the control side; never in a cycle.
  private let entries = POSIXMutex<[UInt: pid_t]>([:])
  private let usageReader = ThreadUsageReader()

  /// Records the calling thread. PipeWire calls this again after a change of rate.
  func noteCurrentThread() {
    let thread = cjack_current_thread()
    let threadID = gettid()
    entries.withLock { $0[thread] = threadID }
  }

  /// Forgets the threads of a client that is closed.
  func forgetAll() {
    entries.withLock { $0.removeAll() }
    usageReader.close()
  }

  /// Returns the kernel's ID of a thread, by its `cjack_current_thread` number.
  func threadID(of thread: UInt) -> pid_t? {
    entries.withLock { $0[thread] }
  }

  /// Returns a thread's processor usage, by its `cjack_current_thread` number. Makes system calls.
  func usage(of thread: UInt) -> ThreadUsage? {
    threadID(of: thread).flatMap { usageReader.usage(of: $0) }
  }
}
