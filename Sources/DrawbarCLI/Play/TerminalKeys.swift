// SPDX-License-Identifier: MIT

import Glibc
import Synchronization

/// Single keys from standard input, if it is a terminal. Usable from any thread.
final class TerminalKeys: Sendable {
  /// Whether keys can come from standard input.
  let arePossible = isatty(STDIN_FILENO) == 1

  private struct State {
    /// The terminal's modes before single keys.
    var saved: termios?
    var decoder = TerminalKeyDecoder()
    /// Keys that were read and not taken.
    var pending: [TerminalKey] = []
  }

  /// Protects the modes and the keys.
  private let state = Mutex(State())

  init() {
    guard arePossible else { return }
    // If the shell takes the terminal back between poll and read, the read fails and does not stop the program.
    signal(SIGTTIN, SIG_IGN)
    restoreModesAtDeadlySignals()
    takeSingleKeys()
  }

  deinit {
    let saved = state.withLock { $0.saved }
    if var saved, areOwn { unsafe tcsetattr(STDIN_FILENO, TCSANOW, &saved) }
  }

  /// Whether the keys are the program's now. In the background (Ctrl-Z and `bg`, or `&`) the keys and the terminal's
  /// modes are the shell's until `fg`.
  var areOwn: Bool { arePossible && tcgetpgrp(STDIN_FILENO) == getpgrp() }

  /// Switches to single keys without echo, if the terminal is in another mode; Ctrl-C still makes a signal.
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

  /// Returns the keys pressed since the last call. Does not wait.
  func take() -> [TerminalKey] {
    state.withLock { state in
      read(into: &state)
      defer { state.pending.removeAll() }
      return state.pending
    }
  }

  /// Whether `q` was pressed. Leaves the keys for ``take()``. Does not wait.
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

/// The modes that the handler of a deadly signal restores. The handler must neither lock nor allocate.
nonisolated(unsafe) private let modesForHandler = UnsafeMutablePointer<termios>.allocate(
  capacity: 1)
/// Whether the modes are set.
private let hasModesForHandler = Atomic<Bool>(false)

private func keepForDeadlySignals(_ modes: termios) {
  // Set once: the modes are the shell's, and a handler may read them at any time.
  if hasModesForHandler.load(ordering: .acquiring) { return }
  unsafe modesForHandler.initialize(to: modes)
  hasModesForHandler.store(true, ordering: .releasing)
}

/// Restores the terminal if a signal ends the program at once, such as Ctrl-\ (SIGQUIT). The program still ends by the
/// signal, even if it hangs. Ignored signals stay ignored.
private func restoreModesAtDeadlySignals() {
  // Initialises the flag: the handler must not be the first to use it.
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
