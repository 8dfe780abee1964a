// SPDX-License-Identifier: MIT

import Glibc

/// The terminal that the program runs on, if any: single keys from standard input, one line that is
/// written over on standard output.
final class Terminal {
  /// Whether the status line is shown.
  let showsStatus: Bool
  /// Whether keys are read.
  let readsKeys: Bool
  private var saved = termios()
  private var hasStatusLine = false

  init() {
    showsStatus = isatty(STDOUT_FILENO) == 1
    readsKeys = isatty(STDIN_FILENO) == 1 && tcgetpgrp(STDIN_FILENO) == getpgrp()
    guard readsKeys else { return }
    unsafe tcgetattr(STDIN_FILENO, &saved)
    var single = saved
    // Keys come one by one and unechoed; Ctrl-C still makes a signal.
    single.c_lflag &= ~tcflag_t(ICANON | ECHO)
    unsafe tcsetattr(STDIN_FILENO, TCSANOW, &single)
  }

  deinit {
    clearStatus()
    if readsKeys { unsafe tcsetattr(STDIN_FILENO, TCSANOW, &saved) }
  }

  /// Waits for a key or for something to read from a descriptor, at most so long.
  func wait(milliseconds: Int32, orFor descriptor: Int32) {
    var items = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
    if readsKeys { items.append(pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)) }
    _ = unsafe poll(&items, nfds_t(items.count), milliseconds)
  }

  /// The keys pressed since the last call. Does not wait.
  func keys() -> [UInt8] {
    guard readsKeys else { return [] }
    var item = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&item, 1, 0) > 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = unsafe read(STDIN_FILENO, &bytes, bytes.count)
    return count > 0 ? Array(bytes[..<count]) : []
  }

  /// Shows a line in place of the last one, cut to the terminal's width.
  func show(status: String) {
    guard showsStatus else { return }
    Failure.write("\r\u{1B}[K" + String(status.prefix(columns - 1)), to: STDOUT_FILENO)
    hasStatusLine = true
  }

  /// Prints a line that stays.
  func print(_ line: String) {
    guard showsStatus else { return }
    clearStatus()
    Failure.write(line + "\n", to: STDOUT_FILENO)
  }

  /// Takes the status line away, so that something else can be printed.
  func clearStatus() {
    guard hasStatusLine else { return }
    Failure.write("\r\u{1B}[K", to: STDOUT_FILENO)
    hasStatusLine = false
  }

  private var columns: Int {
    var size = winsize()
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 1 else {
      return 80
    }
    return Int(size.ws_col)
  }
}
