// SPDX-License-Identifier: MIT

import AudioModel
import Glibc

/// The program's terminal, if any: single keys from standard input, and a panel of a few lines on standard output that
/// is overwritten.
final class Terminal {
  /// Whether the panel is shown.
  let showsPanel: Bool
  /// Whether the terminal knows no control sequences: the panel is one line, overwritten after a carriage return.
  private let isDumb: Bool
  /// The keys from standard input.
  let keys: TerminalKeys
  /// The lines on the screen.
  private var panel: [String] = []
  /// The terminal's columns when the panel was last shown.
  private var panelColumns = 80

  /// - Parameters:
  ///   - isWanted: whether to show a panel if standard output is a terminal.
  ///   - keys: the keys from standard input, which may have been read before.
  init(showsPanel isWanted: Bool = true, keys: TerminalKeys) {
    showsPanel = isWanted && isatty(STDOUT_FILENO) == 1
    self.keys = keys
    let type = unsafe getenv("TERM").map { unsafe String(cString: $0) } ?? ""
    isDumb = type.isEmpty || type == "dumb"
  }

  deinit {
    clearPanel()
  }

  /// Waits for a key or for one of the descriptors, up to the given time.
  func wait(milliseconds: Int32, orFor others: [pollfd]) {
    keys.takeSingleKeys()
    var items = others
    var longest = milliseconds
    if keys.areOwn {
      items.append(pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0))
    } else if keys.arePossible {
      // No event signals that the keys are the program's again.
      longest = min(longest, 1000)
    }
    _ = unsafe poll(&items, nfds_t(items.count), longest)
  }

  /// Shows a panel instead of the last one.
  func show(_ screen: some TerminalScreen) {
    guard showsPanel else { return }
    let size = size
    // The last column stays empty: writing there makes some terminals begin another line.
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

  /// Prints a permanent line above the panel.
  func print(_ line: String) {
    guard showsPanel else { return }
    clearPanel()
    write(line.asMessage + "\n")
  }

  /// Removes the panel, so that other text can be printed.
  func clearPanel() {
    guard !panel.isEmpty else { return }
    if isDumb {
      write("\r" + String(repeating: " ", count: TerminalText.width(of: panel[0])) + "\r")
    } else {
      write(returnToPanel(clearing: true))
    }
    panel = []
  }

  /// Returns the sequence that moves to the start of the panel's first line (ECMA-48: CUU, ED).
  private func returnToPanel(clearing: Bool) -> String {
    guard !panel.isEmpty else { return "" }
    // A terminal that has become narrower has wrapped the lines again.
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
