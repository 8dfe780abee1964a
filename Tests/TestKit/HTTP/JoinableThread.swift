// SPDX-License-Identifier: MIT

import Glibc

/// A thread that runs a function and can be waited for. Swift's task threads must not block, but a server's thread
/// and a reader's thread that waits for the server mostly do.
public final class JoinableThread: @unchecked Sendable {
  private var handle: pthread_t

  private final class Start {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Starts the thread.
  public init(_ body: @escaping @Sendable () -> Void) {
    var handle = pthread_t()
    let start = unsafe Unmanaged.passRetained(Start(body)).toOpaque()
    let result = unsafe pthread_create(&handle, nil, runStart, start)
    precondition(result == 0, "no more threads")
    self.handle = handle
  }

  /// Waits until the function has returned. Call it once.
  public func join() {
    pthread_join(handle, nil)
  }

  fileprivate static func run(_ start: UnsafeMutableRawPointer) {
    unsafe Unmanaged<Start>.fromOpaque(start).takeRetainedValue().body()
  }
}

private func runStart(_ start: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  unsafe JoinableThread.run(start!)
  return nil
}
