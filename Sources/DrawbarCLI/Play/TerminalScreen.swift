// SPDX-License-Identifier: MIT

/// What a panel shows, as a value: the facts and the size in, lines out.
protocol TerminalScreen {
  /// The line that is there on any terminal.
  var status: String { get }

  /// The lines for a terminal of this size, none of them wider than it.
  func lines(columns: Int, rows: Int) -> [String]
}
