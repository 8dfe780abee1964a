// SPDX-License-Identifier: MIT

import ArgumentParser

/// `--transport follow|lead`.
enum TransportRole: String, CaseIterable, ExpressibleByArgument {
  /// The player follows JACK's transport.
  case follow
  /// JACK's transport follows the player.
  case lead
}
