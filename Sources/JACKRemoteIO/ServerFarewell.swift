// SPDX-License-Identifier: MIT

internal import CJACK
internal import Glibc
internal import Synchronization

/// Closes a client without interrupting libjack's thread that handles notifications (``NotifierThread``) or has
/// reported the server's end.
///
/// jack2 cancels that thread when the client is closed, at any point. If the thread is printing a message
/// ("read fail": a server announces its end, and a moment later its socket ends), libjack's message lock stays
/// locked and closing the client waits for it without end. The thread ends by itself as soon as the socket
/// does, so closing waits for that.
struct ServerFarewell: ~Copyable {
  private static let longestEndNanoseconds: UInt64 = 300_000_000
  /// While it handles a message, the thread needs a processor, which other threads may occupy for long.
  private static let longestMessageNanoseconds: UInt64 = 10_000_000_000
  private static let pollMicroseconds: UInt32 = 200

  /// The kernel's ID of the thread that reported the server's end; 0 for none.
  private let thread = Atomic<pid_t>(0)
  /// The notifier thread, while the server runs. A client must be opened through it.
  let notifier: NotifierThread

  init(notifier: NotifierThread = NotifierThread()) { self.notifier = notifier }

  /// Records the calling libjack thread as the one that reported the server's end.
  func noteCurrentThread() {
    // PipeWire reports it on a thread that goes on.
    if !Client.mayLoseServerSilently { thread.store(gettid(), ordering: .releasing) }
  }

  /// Closes the client once the thread that reported the server's end, if any, has ended; waits 300 ms at most
  /// for that. Not for a thread of libjack's.
  func close(_ client: OpaquePointer) {
    let thread = thread.exchange(0, ordering: .acquiring)
    if thread != 0 {
      let deadline = Deadline(nanosecondsFromNow: Self.longestEndNanoseconds)
      let folder = "/proc/self/task/\(thread)"
      while unsafe access(folder, F_OK) == 0, !deadline.hasPassed { usleep(Self.pollMicroseconds) }
    } else {
      // Closing does this first, and the server sends many notifications meanwhile.
      unsafe jack_deactivate(client)
    }
    waitUntilIdle()
    unsafe jack_client_close(client)
  }

  /// Waits until ``notifier`` is idle, for 10 s at most.
  func waitUntilIdle() {
    notifier.waitUntilIdle(until: Deadline(nanosecondsFromNow: Self.longestMessageNanoseconds))
  }
}
