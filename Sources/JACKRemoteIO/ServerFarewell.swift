// SPDX-License-Identifier: MIT

internal import CJACK
internal import Glibc
internal import Synchronization

/// Closes a client without cutting short the thread of libjack's that takes in what the server tells
/// (``NotifierThread``), or has told that the server has ended.
///
/// jack2 cancels that thread when the client is closed, wherever it is. If that is in the midst of a message
/// ("read fail": a server tells that it ends, and a moment later its socket does), the lock of libjack's
/// messages stays locked, and closing the client waits for it without end. The thread ends by itself as soon
/// as the socket has: so that is waited for.
struct ServerFarewell: ~Copyable {
  private static let longestEndNanoseconds: UInt64 = 300_000_000
  /// In the midst of a message the thread needs a processor, which others may have for long.
  private static let longestMessageNanoseconds: UInt64 = 10_000_000_000
  private static let pollMicroseconds: UInt32 = 200

  /// The kernel's number of the thread; 0 for none.
  private let thread = Atomic<pid_t>(0)
  /// The thread while the server is there. A client has to be opened by it.
  let notifier: NotifierThread

  init(notifier: NotifierThread = NotifierThread()) { self.notifier = notifier }

  /// Takes in that the calling thread, which is libjack's, has told it.
  func noteCurrentThread() {
    // PipeWire tells it on a thread that goes on.
    if !Client.mayLoseServerSilently { thread.store(gettid(), ordering: .releasing) }
  }

  /// Closes the client once that thread has ended, if one has told it; a server that takes longer than 300 ms
  /// to end is not waited for. Not on a thread of libjack's.
  func close(_ client: OpaquePointer) {
    let thread = thread.exchange(0, ordering: .acquiring)
    if thread != 0 {
      let deadline = Deadline(nanosecondsFromNow: Self.longestEndNanoseconds)
      let folder = "/proc/self/task/\(thread)"
      while unsafe access(folder, F_OK) == 0, !deadline.hasPassed { usleep(Self.pollMicroseconds) }
    } else {
      // Closing does this first, and a server tells much meanwhile.
      unsafe jack_deactivate(client)
    }
    waitUntilIdle()
    unsafe jack_client_close(client)
  }

  /// Waits until ``notifier`` takes nothing in, for 10 s at most.
  func waitUntilIdle() {
    notifier.waitUntilIdle(until: Deadline(nanosecondsFromNow: Self.longestMessageNanoseconds))
  }
}
