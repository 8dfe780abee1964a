// SPDX-License-Identifier: MIT

import ArgumentParser

/// placeholder
struct PlayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "play")
}
