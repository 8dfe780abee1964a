// SPDX-License-Identifier: MIT

import CCurl
import Synchronization

/// Ends a wait on a libcurl multi handle from another thread.
final class CurlWaker: Sendable {
  @safe private struct Handle: @unchecked Sendable {
    let multi: UnsafeMutableRawPointer
  }

  /// Protects the handle's life: `curl_multi_wakeup` may run beside any other call on a handle,
  /// except the one that frees it.
  private let handle: Mutex<Handle?>
  private let isWoken = Atomic(false)

  /// A waker for a multi handle.
  init(_ multi: UnsafeMutableRawPointer) {
    handle = unsafe Mutex(Handle(multi: multi))
  }

  /// Ends the wait that is under way, or the next one. Any thread.
  func wake() {
    isWoken.store(true, ordering: .releasing)
    handle.withLock { handle in
      if let handle { unsafe curl_multi_wakeup(handle.multi) }
    }
  }

  /// Whether there was a wake since the last call.
  func takeWake() -> Bool {
    isWoken.exchange(false, ordering: .acquiring)
  }

  /// Frees the handle; wakes from now on do nothing.
  func freeHandle() {
    handle.withLock { handle in
      if let multi = unsafe handle?.multi { unsafe curl_multi_cleanup(multi) }
      handle = nil
    }
  }
}
