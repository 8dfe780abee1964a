// SPDX-License-Identifier: MIT

/// A panel, as a function of the facts and the terminal's size.
protocol TerminalScreen {
  /// The line that every terminal shows.
  var status: String { get }

  /// Returns the lines for a terminal of this size, none of them wider than it.
  func lines(columns: Int, rows: Int) -> [String]
}
