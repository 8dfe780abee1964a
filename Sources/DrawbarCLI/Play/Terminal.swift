// SPDX-License-Identifier: MIT

import AudioModel
import Glibc

/// The terminal that the program runs on, if any: single keys from standard input, a few lines that are
/// written over on standard output.
final class Terminal {
  /// Whether the panel is shown.
  let showsPanel: Bool
  /// A terminal that knows no sequences: one line, written over by returning to its start.
  private let isDumb: Bool
  /// Whether keys can come from standard input.
  private let hasKeys: Bool
  /// The modes that single keys took the place of.
  private var saved: termios?
  private var decoder = TerminalKeyDecoder()
  /// The lines that are on the screen.
  private var panel: [String] = []
  /// Columns of the terminal when they were shown last.
  private var panelColumns = 80

  /// - Parameter isWanted: whether a panel is shown where standard output is a terminal.
  init(showsPanel isWanted: Bool = true) {
    showsPanel = isWanted && isatty(STDOUT_FILENO) == 1
    hasKeys = isatty(STDIN_FILENO) == 1
    let type = unsafe getenv("TERM").map { unsafe String(cString: $0) } ?? ""
    isDumb = type.isEmpty || type == "dumb"
    guard hasKeys else { return }
    // Where the shell takes the terminal back between a look and a read, that fails, and does not stop the program.
    signal(SIGTTIN, SIG_IGN)
    takeSingleKeys()
  }

  deinit {
    clearPanel()
    if var saved, readsKeys { unsafe tcsetattr(STDIN_FILENO, TCSANOW, &saved) }
  }

  /// Whether the keys are the program's now. In the background (Ctrl-Z and `bg`, or `&`) they are the shell's, and
  /// so are the terminal's modes, until `fg`.
  private var readsKeys: Bool { hasKeys && tcgetpgrp(STDIN_FILENO) == getpgrp() }

  /// Has keys come one by one and unechoed, where that is not so yet or no longer; Ctrl-C still makes a signal.
  private func takeSingleKeys() {
    var modes = termios()
    let line = tcflag_t(ICANON | ECHO)
    guard readsKeys, unsafe tcgetattr(STDIN_FILENO, &modes) == 0, modes.c_lflag & line != 0
    else { return }
    saved = modes
    modes.c_lflag &= ~line
    unsafe tcsetattr(STDIN_FILENO, TCSANOW, &modes)
  }

  /// Waits for a key or for what others have to say, at most so long.
  func wait(milliseconds: Int32, orFor others: [pollfd]) {
    takeSingleKeys()
    var items = others
    var longest = milliseconds
    if readsKeys {
      items.append(pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0))
    } else if hasKeys {
      // Nothing tells that they are the program's again.
      longest = min(longest, 1000)
    }
    _ = unsafe poll(&items, nfds_t(items.count), longest)
  }

  /// The keys pressed since the last call. Does not wait.
  func keys() -> [TerminalKey] {
    guard readsKeys else { return [] }
    var item = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&item, 1, 0) > 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = unsafe read(STDIN_FILENO, &bytes, bytes.count)
    return count > 0 ? decoder.decode(Array(bytes[..<count])) : []
  }

  /// Shows a panel in place of the last one.
  func show(_ screen: some TerminalScreen) {
    guard showsPanel else { return }
    let size = size
    // The last column is left free: writing there makes some terminals begin another line.
    let columns = size.columns - 1
    if isDumb {
      let line = TerminalText.fitted(screen.status, columns: columns)
      write("\r" + TerminalText.fitted(line, columns: columns, fills: true))
      panel = [line]
      return
    }
    let lines = screen.lines(columns: columns, rows: size.rows)
    let isOther = lines.count != panel.count || size.columns != panelColumns
    panelColumns = size.columns
    write(
      returnToPanel(clearing: isOther)
        + lines.map { "\u{1B}[K\($0)" }.joined(separator: "\n"))
    panel = lines
  }

  /// Prints a line that stays, above the panel.
  func print(_ line: String) {
    guard showsPanel else { return }
    clearPanel()
    write(line.asMessage + "\n")
  }

  /// Takes the panel away, so that something else can be printed.
  func clearPanel() {
    guard !panel.isEmpty else { return }
    if isDumb {
      write("\r" + String(repeating: " ", count: TerminalText.width(of: panel[0])) + "\r")
    } else {
      write(returnToPanel(clearing: true))
    }
    panel = []
  }

  /// To the start of the panel's first line (ECMA-48: CUU, ED).
  private func returnToPanel(clearing: Bool) -> String {
    guard !panel.isEmpty else { return "" }
    // A terminal that has become narrower has broken the lines anew.
    let columns = max(1, size.columns)
    let rows = panel.reduce(0) { $0 + max(1, (TerminalText.width(of: $1) + columns - 1) / columns) }
    let up = rows > 1 ? "\u{1B}[\(rows - 1)A" : ""
    return "\r" + up + (clearing ? "\u{1B}[J" : "")
  }

  private func write(_ text: String) {
    Failure.write(text, to: STDOUT_FILENO)
  }

  private var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 1 else {
      return (80, 24)
    }
    return (Int(size.ws_col), Int(size.ws_row))
  }
}
