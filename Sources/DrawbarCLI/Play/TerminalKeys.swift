// SPDX-License-Identifier: MIT

import Glibc
import Synchronization

/// Single keys from standard input, where that is a terminal. Any thread.
final class TerminalKeys: Sendable {
  /// Whether keys can come from standard input.
  let arePossible = isatty(STDIN_FILENO) == 1

  private struct State {
    /// The modes that single keys took the place of.
    var saved: termios?
    var decoder = TerminalKeyDecoder()
    /// Keys that were looked at and not taken.
    var pending: [TerminalKey] = []
  }

  /// Protects the modes and the keys.
  private let state = Mutex(State())

  init() {
    guard arePossible else { return }
    // Where the shell takes the terminal back between a look and a read, that fails, and does not stop the program.
    signal(SIGTTIN, SIG_IGN)
    restoreModesAtDeadlySignals()
    takeSingleKeys()
  }

  deinit {
    let saved = state.withLock { $0.saved }
    if var saved, areOwn { unsafe tcsetattr(STDIN_FILENO, TCSANOW, &saved) }
  }

  /// Whether the keys are the program's now. In the background (Ctrl-Z and `bg`, or `&`) they are the shell's, and
  /// so are the terminal's modes, until `fg`.
  var areOwn: Bool { arePossible && tcgetpgrp(STDIN_FILENO) == getpgrp() }

  /// Makes keys come one by one and unechoed, where that is not so yet or no longer; Ctrl-C still makes a signal.
  func takeSingleKeys() {
    var modes = termios()
    let line = tcflag_t(ICANON | ECHO)
    guard areOwn, unsafe tcgetattr(STDIN_FILENO, &modes) == 0, modes.c_lflag & line != 0
    else { return }
    state.withLock { $0.saved = modes }
    keepForDeadlySignals(modes)
    modes.c_lflag &= ~line
    unsafe tcsetattr(STDIN_FILENO, TCSANOW, &modes)
  }

  /// The keys pressed since the last call. Does not wait.
  func take() -> [TerminalKey] {
    state.withLock { state in
      read(into: &state)
      defer { state.pending.removeAll() }
      return state.pending
    }
  }

  /// Whether `q` was pressed. The keys stay to be taken. Does not wait.
  var haveQuit: Bool {
    state.withLock { state in
      read(into: &state)
      return state.pending.contains {
        $0 == .character(UInt8(ascii: "q")) || $0 == .character(UInt8(ascii: "Q"))
      }
    }
  }

  private func read(into state: inout State) {
    guard areOwn else { return }
    var item = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&item, 1, 0) > 0 else { return }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = unsafe Glibc.read(STDIN_FILENO, &bytes, bytes.count)
    if count > 0 { state.pending += state.decoder.decode(Array(bytes[..<count])) }
  }
}

/// The modes that a deadly signal's handler restores: it must not take a lock, nor allocate.
nonisolated(unsafe) private let modesForHandler = UnsafeMutablePointer<termios>.allocate(
  capacity: 1)
/// Whether there are any.
private let hasModesForHandler = Atomic<Bool>(false)

private func keepForDeadlySignals(_ modes: termios) {
  // Once: they are the shell's, and a handler may read them at any time.
  if hasModesForHandler.load(ordering: .acquiring) { return }
  unsafe modesForHandler.initialize(to: modes)
  hasModesForHandler.store(true, ordering: .releasing)
}

/// Restores the terminal where a signal ends the program at once, such as Ctrl-\ (SIGQUIT). The program still
/// ends by the signal, also when it hangs. What is ignored stays ignored.
private func restoreModesAtDeadlySignals() {
  // The handler must not be the first to use it.
  if hasModesForHandler.load(ordering: .acquiring) { return }
  for number in [SIGQUIT, SIGABRT, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU]
  where !TerminationSignals.isIgnored(number) {
    signal(number) { number in
      if hasModesForHandler.load(ordering: .acquiring), tcgetpgrp(STDIN_FILENO) == getpgrp() {
        unsafe tcsetattr(STDIN_FILENO, TCSANOW, modesForHandler)
      }
      signal(number, SIG_DFL)
      raise(number)
    }
  }
}
