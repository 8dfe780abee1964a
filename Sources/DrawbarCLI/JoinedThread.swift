// SPDX-License-Identifier: MIT

import Glibc

/// A thread that runs one function and is joined. One thread creates, joins and releases it.
final class JoinedThread {
  private var thread: pthread_t?

  /// Starts the thread. Objects captured by `run` live until the thread ends.
  ///
  /// - Parameter name: the thread's purpose, for the message if no thread can be created: the program then ends.
  init(for name: String, _ run: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let argument = unsafe Unmanaged.passRetained(ThreadBody(run)).toOpaque()
    let status = unsafe pthread_create(&thread, nil, { unsafe runThreadBody($0) }, argument)
    precondition(status == 0, "no thread for \(name): \(status)")
    self.thread = thread
  }

  /// Waits for the thread's end; later calls do nothing.
  func join() {
    if let thread { pthread_join(thread, nil) }
    thread = nil
  }
}

private final class ThreadBody {
  let run: @Sendable () -> Void

  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

private func runThreadBody(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context = unsafe context else { return nil }
  unsafe Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
  return nil
}
