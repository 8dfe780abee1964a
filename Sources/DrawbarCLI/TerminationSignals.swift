// SPDX-License-Identifier: MIT

import CDescriptors
import Glibc

/// Ctrl-C and its like as something to ask for, not as an interruption: the signals are blocked in
/// every thread and taken where the program is ready for them.
struct TerminationSignals {
  private var set = sigset_t()
  /// A signalfd(2) that is readable while one has come and was not taken; -1 where the system has none
  /// left. Open as long as the program runs.
  let descriptor: Int32

  /// Blocks SIGINT, SIGTERM and SIGHUP in this thread and those that it makes, and ignores SIGPIPE.
  init() {
    unsafe sigemptyset(&set)
    for signal in [SIGINT, SIGTERM, SIGHUP] { unsafe sigaddset(&set, signal) }
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    descriptor = unsafe signalfd(-1, &set, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
    signal(SIGPIPE, SIG_IGN)
  }

  /// Whether one has come since the last call. Does not wait.
  func take() -> Bool {
    var set = set
    var none = timespec(tv_sec: 0, tv_nsec: 0)
    return unsafe sigtimedwait(&set, nil, &none) > 0
  }
}
