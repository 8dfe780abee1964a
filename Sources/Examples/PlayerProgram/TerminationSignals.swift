// SPDX-License-Identifier: MIT

internal import Glibc

/// Ctrl-C and similar signals, polled instead of interrupting.
public struct TerminationSignals {
  private var set = sigset_t()

  /// Blocks SIGINT, SIGTERM and SIGHUP in this thread and in threads that it creates.
  init() {
    unsafe sigemptyset(&set)
    for signal in [SIGINT, SIGTERM, SIGHUP] { unsafe sigaddset(&set, signal) }
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    signal(SIGPIPE, SIG_IGN)
  }

  /// Returns true if a signal comes within this time; 0 only checks.
  public func arrive(withinMilliseconds milliseconds: Int) -> Bool {
    var set = set
    var limit = timespec(tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
    return unsafe sigtimedwait(&set, nil, &limit) > 0
  }
}
