// SPDX-License-Identifier: MIT

import TestKit

extension Workshop {
  /// Runs the program in the workshop with a line of shell words.
  func program(_ words: String) -> Program.Result {
    Program.run([], by: ["bash", "-c", "cd '\(path)'; exec \"$0\" \(words)"])
  }
}
