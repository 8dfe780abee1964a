// SPDX-License-Identifier: MIT

import Glibc

/// A thread that does one thing and is waited for. One thread makes, joins and lets go of it.
final class JoinedThread {
  private var thread: pthread_t?

  /// Starts it. What `run` refers to lives until it has ended.
  ///
  /// - Parameter name: whose it is, for the report that the system has no thread: the program then ends.
  init(for name: String, _ run: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let argument = unsafe Unmanaged.passRetained(ThreadBody(run)).toOpaque()
    let status = unsafe pthread_create(&thread, nil, { unsafe runThreadBody($0) }, argument)
    precondition(status == 0, "no thread for \(name): \(status)")
    self.thread = thread
  }

  /// Waits for its end. Once it has ended, nothing.
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
