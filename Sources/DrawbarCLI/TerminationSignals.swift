// SPDX-License-Identifier: MIT

import CDescriptors
import Glibc

/// Ctrl-C and similar signals, polled instead of interrupting: they are blocked in every thread and taken when the
/// program is ready. A SIGHUP that is ignored from the start, as by nohup(1), stays ignored.
struct TerminationSignals {
  private var set = sigset_t()
  /// A signalfd(2) that is readable while a signal is pending; -1 if the system has none left. Open as long as the
  /// program runs.
  let descriptor: Int32

  /// Blocks SIGINT, SIGTERM and SIGHUP in this thread and in threads that it creates, and ignores SIGPIPE.
  init() {
    unsafe sigemptyset(&set)
    for signal in [SIGINT, SIGTERM] { unsafe sigaddset(&set, signal) }
    // A blocked signal reaches the descriptor even if it is ignored.
    if !Self.isIgnored(SIGHUP) { unsafe sigaddset(&set, SIGHUP) }
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    descriptor = unsafe signalfd(-1, &set, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
    signal(SIGPIPE, SIG_IGN)
  }

  static func isIgnored(_ signal: Int32) -> Bool {
    var action = sigaction()
    unsafe sigaction(signal, nil, &action)
    return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// Waits until a descriptor accepts bytes or has an error, or until a signal is pending.
  ///
  /// - Returns: false if a signal is pending, which stays pending, and the descriptor is not ready.
  func allowWriting(to descriptor: Int32) -> Bool {
    var polled = [
      pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0),
      pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    while unsafe poll(&polled, 2, -1) < 0, errno == EINTR {}
    return polled[0].revents != 0
  }

  /// Returns true if a signal has come since the last call. Does not wait.
  func take() -> Bool {
    var set = set
    var none = timespec(tv_sec: 0, tv_nsec: 0)
    return unsafe sigtimedwait(&set, nil, &none) > 0
  }
}
